#!/usr/bin/env bash
# Simulates a hostile user at the command line: links, closed streams, hang-ups, odd numbers, unwritable folders and disks.
# Each command ends with its exit code and one sentence, and nothing on the disk is lost.
# attacks.sh PAIRS
PAIRS=$(realpath "$1")
SCRATCH=$(mktemp -d)
trap 'umount "$SCRATCH/disk" 2>/dev/null; rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
cd "$SCRATCH" || exit 1

# ends CODE PATTERN COMMAND...: like refuses, for a shell command; its stdout goes to the file out.
ends() {
  local code=$1 pattern=$2 status
  shift 2
  "$@" >out 2>err
  status=$?
  [ "$status" -eq "$code" ] || say_fail "$* exited $status, not $code: $(tail -1 err)"
  grep -q -- "$pattern" out err || say_fail "$*: no \"$pattern\" in: $(cat out err)"
}
# untouched FILE TEXT: checks that the file still holds this text.
untouched() { [ "$(cat "$1")" = "$2" ] || say_fail "$1 was changed to: $(cat "$1")"; }
# sets FOLDER TABLE KEY VALUE: changes a setting of the run in FOLDER, as an editor would.
sets() { sed -i "/^\[$2\]/,/^\[/ s/^$3 = .*/$3 = $4/" "$1/run.toml"; }

tiny_run bump-hunt --out run >/dev/null 2>log || say_fail "the tiny run failed: $(tail -3 log)"
printf '0.1\n1.5\n0.2\n' >good.csv
sum=$(sha1sum <run/estimator.safetensors)

# Links are in the place of files that the program writes.
printf precious >precious
cp -r run linked && rm linked/.lock && ln -s ../precious linked/.lock
refuses 1 "linked: its .lock is a link" --batch run --resume linked
rm linked/.lock && mkfifo linked/.lock
refuses 1 ".lock is a link, a folder, a pipe" --batch run --resume linked
rm linked/.lock && rm linked/events.jsonl && ln -s ../precious linked/events.jsonl
refuses 1 "linked/events.jsonl: it is a symbolic link" --batch run --resume linked
untouched precious precious

# A folder holds foreign files, some named like our temporary files. A run is made only where there are no others.
mkdir -p shared/mail
for file in shared/.letter.999999999-0.tmp shared/mail/.run.toml.4194305-0.tmp shared/.draft.4194305-1.tmp shared/aggregates-old.cache; do
  printf theirs >"$file"
done
refuses 2 "shared is not empty" --batch run bump-hunt --out shared
for file in shared/.letter.999999999-0.tmp shared/mail/.run.toml.4194305-0.tmp shared/.draft.4194305-1.tmp shared/aggregates-old.cache; do
  [ -e "$file" ] && untouched "$file" theirs || say_fail "run --out removed $file"
done
rm -r shared/mail shared/aggregates-old.cache
tiny_run bump-hunt --out shared >/dev/null 2>err || say_fail "a run next to temporary files failed: $(tail -1 err)"
for file in shared/.letter.999999999-0.tmp shared/.draft.4194305-1.tmp; do
  [ -e "$file" ] && untouched "$file" theirs || say_fail "run --out removed $file"
done
mkdir foreign && cp run/estimator.safetensors foreign/
refuses 2 "foreign holds estimator.safetensors of another run" --batch run bump-hunt --out foreign --set pretrain.steps=1

# Weights that came with the program stay as they are.
refuses 2 "came with the program" --batch run --resume "$(dirname "$PAIRS")/../../assets/weights/gaussian"

# Settings that are not allowed in a preset either.
for edit in 'evaluate sets []' 'evaluate sizes []' 'cache sets []' 'cache sizes []' 'pretrain sizes []' \
  'cache mode "fixed"' 'cache sizes [1000000000]' 'evaluate sets [10,20,30]' 'pretrain sizes [1000000000]'; do
  read -r table key value <<<"$edit"
  rm -rf edited && cp -r run edited && sets edited "$table" "$key" "$value"
  refuses 2 "edited/run.toml: " --batch evaluate edited
done
refuses 2 "edited/run.toml: " --batch infer edited --data good.csv
refuses 2 "edited/run.toml: " --batch run --resume edited
for text in 'task = ' 'task = "bump-hunt' '[[[' $'\xff\xfe' 'seed = 1e3' 'no = "such key"'; do
  printf '%s\n' "$text" >edited/run.toml
  refuses 2 "edited/run.toml, line 1" --batch evaluate edited
done
printf '[task]\nname = "no-such-task"\n' >edited/run.toml
refuses 1 "This program has no task" --batch evaluate edited
: >edited/run.toml
refuses 1 "edited/run.toml names no task" --batch run --resume edited

# Streams that are closed, full or have lost their reader: training goes on, and the result names what is lost.
stream_run() { tiny_run bump-hunt --out "$1" --json; }
stream_run closed >closed.json 2>&-
[ $? -eq 0 ] || say_fail "a closed stderr ended the run"
stream_run full >full.json 2>/dev/full
[ $? -eq 0 ] || say_fail "a full stderr ended the run"
{ stream_run left 2>&1 >left.json; echo $? >code; } | :
[ "$(cat code)" -eq 0 ] || say_fail "a stderr without a reader ended the run with $(cat code)"
for run in closed full left; do
  [ "$(sha1sum <$run/estimator.safetensors)" = "$sum" ] || say_fail "$run ended with other weights"
  grep -qr "run folder:" $run && say_fail "$run holds a message in a file"
  grep -q '"finished": true' $run.json || say_fail "$run: no answer on stdout: $(cat $run.json)"
done
for lost in '>&-' '>/dev/full'; do
  for words in "tasks" "tasks --json" "--help"; do
    eval "\"\$PAIRS\" --batch $words $lost" 2>err
    [ $? -eq 1 ] || say_fail "pairs $words $lost did not exit 1"
    grep -q "could not be written to stdout" err || say_fail "pairs $words $lost: $(cat err)"
  done
done
"$PAIRS" --batch evaluate nowhere --json >&- 2>&-
[ $? -eq 2 ] || say_fail "without streams a wrong usage is no usage error"

# The terminal closes.
slow=(--set pretrain.epochs=100000 --set checkpoint=3600 --until pretrain)
export PAIRS
export -f tiny_run run_with
rm -f code
# Killing the terminal's first shell makes the kernel send SIGHUP to the others.
SHELL=$BASH script -qfc "bash -c 'trap : HUP; tiny_run bump-hunt --out gone ${slow[*]}; echo \$? >code'; true" /dev/null >/dev/null 2>&1 &
terminal=$!
wait_for gone/events.jsonl
sleep 0.5
kill -9 "$terminal"
wait "$terminal" 2>/dev/null
wait_for code
[ "$(cat code)" -eq 129 ] || say_fail "a closed terminal ended the run with $(cat code)"
[ -s gone/resume.safetensors ] || say_fail "a closed terminal: nothing was saved"

# A signal ends infer: it prints one document, writes no samples and leaves nothing half written.
mkdir ended
"$PAIRS" --batch infer bump-hunt --data good.csv --samples 10000000 --threads 1 --out ended/samples.npz --json >out 2>err &
process=$!
for _ in $(seq 600); do
  [ "$(ls /proc/$process/task 2>/dev/null | wc -l)" -gt 1 ] && break
  sleep 0.1
done
sleep 0.5
kill -TERM "$process"
wait "$process"
[ $? -eq 143 ] || say_fail "infer on SIGTERM did not exit 143: $(tail -1 err)"
[ "$(tr -d ' \n' <out)" = '{"error":"StoppedbySIGTERM"}' ] || say_fail "infer --json on SIGTERM printed: $(cat out)"
[ -z "$(ls -A ended)" ] || say_fail "infer on SIGTERM left $(ls -A ended)"

# Arguments that are not numbers.
infer=(--batch infer run --data good.csv)
for value in nan -1 99999999999999999999 0x10; do
  refuses 2 "whole number" "${infer[@]}" --samples=$value
  refuses 2 "--sizes holds" --batch evaluate run --sizes=$value
  refuses 2 "is not a number from" --batch render --scene 7 --half-width=$value --out a.png
done
refuses 2 "1e3 is not a whole number" "${infer[@]}" --seed 1e3
refuses 2 "1000000000000 is not a whole number" "${infer[@]}" --samples 1000000000000
refuses 2 "data= has no value" --batch infer run --data= --out x.npz
refuses 2 "is not a width" --batch render --scene 7 --size 1e9x1e9 --out a.png
if "$PAIRS" --help | grep -q '^  screenshot'; then
  for option in --scale --patience; do
    for value in nan inf; do
      refuses 2 "is not a number from" --batch screenshot --out a.png $option=$value
    done
  done
  refuses 2 "is not a width" --batch screenshot --out a.png --size 99999999999x800
  refuses 2 "give its last size with --n" --batch screenshot --out a.webp
  refuses 2 "must end in .png or .webp" --batch screenshot --out a.gif
fi

# Odd names: blanks, letters of any script, a leading dash, "..", a bare "run".
for name in 'a b' 'θ—七' './-x' '../'"$(basename "$SCRATCH")"'/up' "quote'\"\$(x)" $'esc\x1b[31m'; do
  cp -r run "$name"
  "$PAIRS" --batch infer "$name" --data good.csv --out "$name/s.npz" >/dev/null 2>err || say_fail "$name: $(tail -1 err)"
  [ -s "$name/s.npz" ] || say_fail "infer wrote no samples into $name"
  "$PAIRS" --batch evaluate "$name" --sizes 1 --sets 4 --samples 9 >out 2>&1
  "$PAIRS" --batch run --resume "$name" >>out 2>&1
  ! grep -q $'\x1b' out || say_fail "control characters of a name reach the terminal: $(cat -v out)"
done
cp good.csv 'ü b.csv'
"$PAIRS" --batch infer run --data 'ü b.csv' --out 'ü ö.npz' >/dev/null 2>err || say_fail "odd file names: $(tail -1 err)"

# Full and read-only disks. This part needs the right to mount.
mkdir disk
if mount -t tmpfs -o size=512k pairs-test disk 2>/dev/null; then
  cp -r run/run.toml run/estimator.safetensors disk/
  head -c 400k /dev/zero >disk/filler 2>/dev/null
  cp -r disk before
  refuses 1 "disk is full" --batch infer disk --data good.csv --samples 200000
  refuses 1 "disk\|free" --batch run bump-hunt --out disk/new --set pretrain.steps=1
  "$PAIRS" --batch evaluate disk --sizes 1 --sets 4000 --samples 100 >out 2>err
  [ $? -eq 1 ] || say_fail "evaluate on a full disk: $(cat out err)"
  diff -r before disk | grep -v "^Only in disk: \(.lock\|new\)$" >lost && say_fail "a full disk lost files: $(cat lost)"
  mount -o remount,ro disk
  refuses 1 "read-only" --batch infer disk --data good.csv
  refuses 1 "read-only" --batch evaluate disk --sizes 1 --sets 10
  refuses 1 "read-only" --batch run --resume disk
  "$PAIRS" --batch infer disk --data good.csv --out here.npz >/dev/null 2>err || say_fail "a read-only run: $(tail -1 err)"
  umount disk
else
  echo "not root: full and read-only disks were not tried"
fi

# Runs that are being written, or that lack a part.
mkdir empty
refuses 2 "neither a run folder" --batch infer empty --data good.csv
cp -r run early && rm early/*.safetensors
refuses 1 "no trained weights yet" --batch infer early --data good.csv
tiny_run bump-hunt --out weightless >/dev/null 2>err || say_fail "another tiny run failed: $(tail -1 err)"
cp -r weightless cut && truncate -s 100 cut/estimator.safetensors && ls -l cut >sizes
rm weightless/estimator.safetensors
refuses 1 "was trained to its end, and its estimator.safetensors is missing" --batch infer weightless --data good.csv
refuses 1 "cut/estimator.safetensors" --batch run --resume cut --drop-aggregates
cmp -s sizes <(ls -l cut) || say_fail "aggregates were removed from a run whose weights are damaged"
cp -r run nested && rm nested/estimator.safetensors && mkdir nested/estimator.safetensors
refuses 1 "nested/estimator.safetensors" --batch infer nested --data good.csv
cp -r run looped && rm looped/run.toml && ln -s run.toml looped/run.toml
refuses 1 "looped/run.toml" --batch infer looped --data good.csv
[ "$sum" = "$(sha1sum <run/estimator.safetensors)" ] || say_fail "the run's weights changed"
finish
