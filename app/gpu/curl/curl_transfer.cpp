// libpairs_transfer.so: all code compiled against libcurl.
#include <curl/curl.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>

#include "app/gpu/transfer.h"

namespace {

using pairs::gpu::Transfer;
using pairs::gpu::TransferEnd;

constexpr long kConnectSeconds = 30, kSilentSeconds = 60;

struct Free {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// The shared state of the callbacks.
struct Reception {
  const Transfer& asked;
  CURL* handle;
  bool begun = false, stopped = false;
  std::exception_ptr thrown;  // by the receiver; must not pass through libcurl
};

long status_of(CURL* handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

std::size_t take_bytes(char* bytes, std::size_t one, std::size_t count, void* self) {
  Reception& reception = *static_cast<Reception*>(self);
  const long status = status_of(reception.handle);
  if (status != 200 && status != 206) return one * count;  // the page of an error
  try {
    if (!reception.begun && reception.asked.begins) reception.asked.begins(status == 206);
    reception.begun = true;
    reception.asked.receives({bytes, one * count});
    return one * count;
  } catch (...) {
    reception.thrown = std::current_exception();
    return 0;
  }
}

int look_for_stop(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  Reception& reception = *static_cast<Reception*>(self);
  reception.stopped = reception.asked.stopped && reception.asked.stopped();
  return reception.stopped ? 1 : 0;
}

// The file of root certificates: the environment's, else the system's, whose path depends on the distribution.
std::string certificates() {
  for (const char* const name : {"PIP_CERT", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"})
    if (const char* const file = std::getenv(name); file && *file) return file;
  for (const char* const file : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                 "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"})
    if (std::error_code error; std::filesystem::exists(file, error)) return file;
  return "";
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int pairs_transfer_version() {
  return pairs::gpu::kTransferVersion;
}

extern "C" __attribute__((visibility("default"))) void pairs_transfer(const Transfer& asked, TransferEnd& end) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, Free> handle(started == CURLE_OK ? curl_easy_init() : nullptr);
  if (!handle) {
    end.problem = "libcurl does not start";
    return;
  }
  CURL* const curl = handle.get();
  Reception reception{.asked = asked, .handle = curl, .thrown = nullptr};
  std::array<char, CURL_ERROR_SIZE> words{};
  const std::unique_ptr<curl_slist, Free> headers(curl_slist_append(nullptr, ("Accept: " + asked.accept).c_str()));
  const std::string range = std::to_string(asked.from) + "-", roots = certificates();
  curl_easy_setopt(curl, CURLOPT_URL, asked.address.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "pairs-studio");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words.data());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reception);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_for_stop);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &reception);
  if (asked.from > 0) curl_easy_setopt(curl, CURLOPT_RANGE, range.c_str());
  if (!roots.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, roots.c_str());

  const CURLcode code = curl_easy_perform(curl);
  if (reception.thrown) std::rethrow_exception(reception.thrown);
  end.stopped = reception.stopped;
  if (end.stopped) return;
  char* address = nullptr;
  curl_easy_getinfo(curl, CURLINFO_EFFECTIVE_URL, &address);
  end.address = address ? address : asked.address;
  const long status = status_of(curl);
  if (code != CURLE_OK) {
    end.problem = code == CURLE_SSL_CACERT_BADFILE
                      ? "trusted certificates cannot be read: install ca-certificates, or name a file in SSL_CERT_FILE"
                  : words[0] ? words.data()
                             : curl_easy_strerror(code);
    end.broke = true;
  } else if (status == 416) {
    end.nothing_more = true;
  } else if (status != 200 && status != 206) {
    end.problem = "the server answers with status " + std::to_string(status);
    end.broke = status >= 500;
  } else if (!reception.begun && asked.begins) {
    asked.begins(status == 206);  // an empty file
  }
}
