"""wheel_index.py FOLDER: a package index on a free port of this machine, for add_gpu.sh. FOLDER/simple/PROJECT/ lists the
wheels in FOLDER/PROJECT; the port is written to FOLDER/port. The file FOLDER/mode, read with each request, selects how
the index fails: down (status 503), cut (the connection breaks in the middle of a wheel), wrong (a wheel has other bytes),
whole (a wheel is always sent whole, never in parts), empty (there are no wheels). FOLDER/log lists the requests."""
import hashlib, http.server, os, sys

root = sys.argv[1]


class Index(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        mode = open(os.path.join(root, "mode")).read().strip()
        with open(os.path.join(root, "log"), "a") as log:
            log.write(f"{self.path} {self.headers.get('Range', '')}\n")
        parts = self.path.strip("/").split("/")
        if mode == "down":
            self.send_error(503)
        elif parts[0] == "simple":
            self.page(parts[1], mode)
        else:
            self.wheel(os.path.join(root, *parts), mode)

    def page(self, project, mode):
        links = ""
        for name in sorted(os.listdir(os.path.join(root, project))) if mode != "empty" else []:
            hash = hashlib.sha256(open(os.path.join(root, project, name), "rb").read()).hexdigest()
            links += f'<a href="../../{project}/{name}#sha256={hash}">{name}</a><br>\n'
        self.answer(200, f"<!DOCTYPE html><html><body>{links}</body></html>".encode(), {"Content-Type": "text/html"})

    def wheel(self, file, mode):
        data = open(file, "rb").read()
        if mode == "wrong":
            data = bytes(len(data))
        begin = self.headers.get("Range", "")
        first = int(begin[len("bytes="):-1]) if begin and mode != "whole" else 0
        if first >= len(data):
            self.send_error(416)
            return
        status = 206 if begin and mode != "whole" else 200
        self.answer(status, data[first:], {"Content-Range": f"bytes {first}-{len(data) - 1}/{len(data)}"},
                    half=mode == "cut")

    def answer(self, status, data, headers, half=False):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if half else data)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
with open(os.path.join(root, "port.new"), "w") as port:
    port.write(str(server.server_address[1]))
os.rename(os.path.join(root, "port.new"), os.path.join(root, "port"))
server.serve_forever()
