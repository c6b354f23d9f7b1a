#!/usr/bin/env bash
# Wrong usage and broken input: exit codes, and one sentence that states what is wrong and where.
# bad_input.sh PAIRS
PAIRS=$(realpath "$1")
SCRATCH=$(mktemp -d)
trap 'chmod -R u+w "$SCRATCH"; rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
cd "$SCRATCH" || exit 1

# The command line.
refuses 2 "needs --batch" tasks
refuses 2 "needs a command" --batch
refuses 2 "no command evalute.*did you mean evaluate" --batch evalute
refuses 2 "no option --presset.*did you mean --preset" --batch run gaussian --presset quick
refuses 2 "no option --bogus" --bogus --batch tasks
refuses 2 "did you mean gaussian" --batch run gausian
refuses 2 "did you mean .*quick" --batch run gaussian --preset quik
refuses 2 "did you mean .*pairs" --batch run gaussian --strategy pair
refuses 2 "pretrain.rate" --batch run gaussian --set pretrain.rat=1
refuses 2 "pretrain.rate" --batch run gaussian --set pretrain.rate=fast
refuses 2 "use --preset and --strategy" --batch run gaussian --set strategy=n1
refuses 1 "File name too long" --batch run gaussian --out "$(printf 'q%.0s' {1..300})"
refuses 2 "device" --batch run gaussian --device gpu
refuses 2 "Name a task" --batch run
refuses 2 "leave out gaussian" --batch run gaussian --resume somewhere
refuses 2 "leave out --seed" --batch run --resume somewhere --seed 3
refuses 1 "not a run folder" --batch run --resume nowhere
refuses 2 "neither a run folder" --batch evaluate nowhere
refuses 2 "at least two" --batch compare nowhere
refuses 2 "did you mean width" --batch figure widht
refuses 2 "needs at least one run" --batch figure nll
refuses 2 "must end in" --batch figure samples gaussian --out picture.gif
refuses 1 "does not exist" --batch data --data nowhere
refuses 2 "largest N" --batch run bump-hunt --set cache.sizes=101
refuses 1 "MNIST" --batch run digits --data "$SCRATCH"
refuses 2 "is not an azimuth" --batch render --scene 7 --camera 30,95 --out picture.png
refuses 1 "room.toml" --batch render --scene room.toml --out picture.png
refuses 1 "nowhere" --batch render --scene 7 --out nowhere/picture.png
refuses 2 "no square" --batch render --scene 7 --views 3 --size 32x16 --out views
refuses 2 "excludes" --batch render --scene 7 --views 3 --camera 30,45 --out views
refuses 1 "is not empty" --batch render --scene 7 --views 3 --out "$SCRATCH/.."

# Errors as JSON: one document on stdout.
"$PAIRS" --batch run gausian --json >json 2>/dev/null
[ $? -eq 2 ] || say_fail "--json changed the exit code"
grep -q '"error": "There is no task' json || say_fail "--json printed no error document: $(cat json)"

# Folders that cannot be written. Root may write anywhere, so a file takes the folder's place instead.
touch in-the-way
refuses 1 "in-the-way" --batch run gaussian --out in-the-way/run --set pretrain.steps=1
if [ "$(id -u)" -ne 0 ]; then
  mkdir locked && chmod a-w locked
  refuses 1 "locked" --batch run gaussian --out locked/run --set pretrain.steps=1
fi

# A small finished run as a target of broken input.
tiny_run bump-hunt --out run >/dev/null 2>log || say_fail "the tiny run failed: $(tail -3 log)"
refuses 2 "already holds a run" --batch run bump-hunt --out run
mkdir demo && cp -r run demo/bump-hunt
refuses 2 "demo/bump-hunt holds a run with other settings" --batch demo --tasks bump-hunt --out demo --seed 5
printf '0.1\nnan\n0.3\n' >nan.csv
printf '0.1,0.2\n' >wide.csv
printf '0.1\nabc\n' >text.csv
seq 21 >large.csv
seq 101 >beyond.csv
printf '0.1\n1.5\n0.2\n' >good.csv
printf 'not a zip file' >broken.npz
refuses 1 "nan.csv" --batch infer run --data nan.csv
cp good.csv input.csv
refuses 2 "must end in .npz" --batch infer run --data input.csv --out samples.txt
refuses 2 "would replace input.csv" --batch infer run --data input.csv --out input.csv
cmp -s good.csv input.csv || say_fail "infer replaced its input"
refuses 2 "must end in .json" --batch evaluate run --out run/run.toml
refuses 1 "in-the-way" --batch evaluate run --out in-the-way/metrics.json
mkfifo pipe.csv
refuses 1 "pipe or a device" --batch infer run --data pipe.csv
cp -r run hollow && : >hollow/estimator.safetensors
refuses 1 "removing that file and resuming" --batch run --resume hollow
cp -r run edited && sed -i 's/^seed = .*/seed = 77/' edited/run.toml
refuses 1 "edited/estimator.safetensors was trained with seed = 1, not 77" --batch evaluate edited
rm edited/estimator.safetensors
refuses 1 "edited/pretrained.safetensors was trained with seed = 1, not 77" --batch run --resume edited
"$PAIRS" --batch evaluate run --sizes 1 --sets 20 --samples 10 >/dev/null 2>&1 || say_fail "a small evaluation failed"
large=$(sha1sum <run/metrics.json)
"$PAIRS" --batch evaluate run --sizes 1 --sets 10 --samples 10 >/dev/null 2>err || say_fail "a smaller evaluation failed"
grep -q "is kept" err || say_fail "nothing says that the larger evaluation is kept: $(cat err)"
[ "$large" = "$(sha1sum <run/metrics.json)" ] || say_fail "a smaller evaluation replaced a larger one"
refuses 2 "samples 1 has no spread" --batch evaluate run --samples 1
refuses 1 "2 columns but task bump-hunt needs 1" --batch infer run --data wide.csv
refuses 1 "text.csv" --batch infer run --data text.csv
refuses 1 "saw sets of at most 20" --batch infer run --data large.csv
refuses 1 "up to N = 100; give at most 100" --batch infer run --data beyond.csv
refuses 1 "up to N = 100, which --force does not change; give at most 100" --batch infer run --data beyond.csv --force
refuses 2 "first 4 observations, but good.csv holds 3; give at most 3" --batch infer run --data good.csv --n 4
refuses 2 "--n" --batch infer run --data good.csv --n 0
refuses 2 "a.x0ab not in" --batch infer novel-view --data good.csv --camera 30,45 --solver $'a\nb'
refuses 2 "goes beyond N = 100" --batch figure posterior run --n 101
printf '0.1\n0.2\n' >two.csv
refuses 2 "holds 2; give at most 2" --batch figure posterior run --data two.csv --n 20
refuses 1 "missing.csv" --batch infer run --data missing.csv
printf '0.1\n1e39\n' >vast.csv
refuses 1 "vast.csv holds values beyond" --batch infer run --data vast.csv
printf '0.1\n1e38\n' >huge.csv
refuses 1 "huge.csv: The network overflows on observation 2, which holds a value of size 1e+38" --batch infer bump-hunt --data huge.csv
printf '1e38,1e38\n1e38,1e38\n' >vast2.csv
refuses 1 "vast2.csv: The network overflows on these observations, of which number 1 holds" --batch infer gaussian --data vast2.csv
refuses 2 "seed is given twice, by --seed 1 and by --set seed=2" --batch run gaussian --seed 1 --set seed=2
refuses 2 "contradicts the strategy n1" --batch run gaussian --strategy n1 --set pretrain.sizes=1,2
refuses 2 "is not empty" --batch run gaussian --out "$SCRATCH"
refuses 2 "does not read --data" --batch figure nll run --data good.csv
cp -r run mute && sed -i 's/^{/[/' mute/events.jsonl
refuses 1 "mute/events.jsonl is damaged: lines of it were changed, cut or lost" --batch figure loss mute
cp -r run torn && rm torn/estimator.safetensors && printf 'torn' >torn/resume.safetensors
refuses 1 "torn/resume.safetensors.*or remove it, to start the stage again" --batch run --resume torn
refuses 2 "names N = 2 twice" --batch evaluate run --sizes 2,1,2
cp -r run nameless && : >nameless/run.toml
refuses 1 "nameless/run.toml names no task" --batch evaluate nameless
"$PAIRS" --batch figure loss gaussian --out loss.svg >/dev/null 2>err || say_fail "no losses of shipped weights: $(cat err)"
refuses 1 "broken.npz" --batch infer run --data broken.npz
mkdir "$SCRATCH/nothing"
refuses 1 "is an empty folder" --batch infer run --data "$SCRATCH/nothing"
refuses 2 "saw sets of at most 20" --batch evaluate run --sizes 50
refuses 2 "whole number" --batch evaluate run --sizes 1,x
refuses 1 "in-the-way" --batch infer run --data good.csv --out in-the-way/samples.npz
"$PAIRS" --batch infer run --overwrite --data large.csv --force >/dev/null 2>&1 || say_fail "--force did not lift the limit on N"
"$PAIRS" --batch infer run --overwrite --data good.csv --json >answer 2>err || say_fail "infer failed: $(cat err)"
grep -q '"quantiles"' answer || say_fail "infer --json printed no quantiles: $(cat answer)"
head -2 good.csv >two.csv
"$PAIRS" --batch infer run --overwrite --data two.csv --json >two 2>err || say_fail "infer failed: $(cat err)"
"$PAIRS" --batch infer run --overwrite --data good.csv --n 2 --json >first 2>err || say_fail "infer --n failed: $(cat err)"
cmp -s two first || say_fail "infer --n 2 is not the posterior of the first two: $(cat first)"
"$PAIRS" --batch infer run --overwrite --data beyond.csv --n 20 >answer 2>err || say_fail "infer --n 20 failed: $(cat err)"
grep -q "first N = 20 observations of beyond.csv" answer || say_fail "infer --n does not say so: $(cat answer)"
"$PAIRS" --batch figure posterior run --n 20 --out one.csv >/dev/null 2>&1 || say_fail "figure posterior --n failed"
grep -q "N = 20" one.csv && ! grep -q "N = 10\b" one.csv || say_fail "figure posterior --n 20 draws other N"
"$PAIRS" --batch figure posterior run --n 21 --out one.csv >/dev/null 2>err || say_fail "figure posterior --n 21 failed"
grep -q "at most 20" err || say_fail "nothing says that N = 21 is an extrapolation: $(cat err)"
[ -s run/samples.npz ] || say_fail "infer wrote no samples"

# Views of a scene.
tiny_views novel-view --out seer --set task.size=8 --set embedder.channels=8,8 --set head.multipliers=1,2 \
  --set cache.sizes=20 --set pretrain.steps=4 --set cache.sets=100 --set finetune.steps=4 >/dev/null 2>log || say_fail "the tiny run of views failed: $(tail -3 log)"
"$PAIRS" --batch render --scene 7 --views 4 --size 16x16 --half-width 1.25 --out views >/dev/null 2>err ||
  say_fail "render --views failed: $(cat err)"
"$PAIRS" --batch infer seer --data views --camera 30,45 --samples 2 --out seen --json >answer 2>err ||
  say_fail "infer of views failed: $(cat err)"
grep -q '"percentile"' answer || say_fail "infer does not say how typical the views are: $(cat answer)"
for file in samples.npz mean.png sd.png samples.png; do
  [ -s seen/$file ] || say_fail "infer wrote no $file"
done
seer=(--batch infer seer --data views --camera 30,45)
refuses 2 "name the camera" --batch infer seer --data views
refuses 2 "is not an azimuth" --batch infer seer --data views --camera 30,95
refuses 2 "into a folder" "${seer[@]}" --out seen.npz
refuses 2 "mix the results" "${seer[@]}" --out views
refuses 1 "in-the-way is a file" "${seer[@]}" --out in-the-way
refuses 2 "camera belongs to folders of views" --batch infer run --data good.csv --camera 30,45
refuses 2 "solver belong to samples of images" --batch infer run --data good.csv --steps 3
mkdir no-views && cp views/cameras.csv no-views
refuses 1 "no-views holds no image (.png" --batch infer seer --data no-views --camera 30,45
cp views/view_001.png no-views && rm no-views/cameras.csv
refuses 1 "no-views holds no cameras.csv" --batch infer seer --data no-views --camera 30,45
cp views/cameras.csv rows
sed '3s/,.*/,30,95,1.25/' rows >views/cameras.csv
refuses 1 "cameras.csv, line 3: the elevation 95 does not lie" "${seer[@]}"
sed '3s/,.*/,north,45,1.25/' rows >views/cameras.csv
refuses 1 "cameras.csv, line 3: the azimuth is 'north', not a number" "${seer[@]}"
sed '3s/1.25/1.5/' rows >views/cameras.csv
refuses 1 "line 3: the half_width is 1.5, but this estimator knows views of half-width 1.25" "${seer[@]}"
sed '3s/002/001/' rows >views/cameras.csv
refuses 1 "names view_001.png twice, in lines 2 and 3" "${seer[@]}"
sed '3s/002/009/' rows >views/cameras.csv
refuses 1 "line 3: view_009.png is not in the folder" "${seer[@]}"
sed 3d rows >views/cameras.csv
refuses 1 "no row for the image view_002.png" "${seer[@]}"
cp rows views/cameras.csv
"$PAIRS" --batch render --scene 7 --camera 30,45 --size 20x20 --out views/view_002.png >/dev/null 2>&1
refuses 1 "view_002.png is 20 x 20 pixels but this estimator needs 8 x 8, or a whole multiple" "${seer[@]}"
printf 'not an image' >views/view_002.png
refuses 1 "view_002.png cannot be read" "${seer[@]}"

# A run that cannot be trained leaves no folder behind, and `tasks` works with a data folder without images.
mkdir -p nothing
cd nothing || exit 1
refuses 2 "pretrain.from" --batch run bump-hunt --preset quick --set pretrain.from=typo
cd ..
[ -z "$(find nothing -mindepth 1)" ] || say_fail "a refused run left $(find nothing -mindepth 1)"
PAIRS_DATA=$PWD/nothing "$PAIRS" --batch tasks >/dev/null 2>err || say_fail "tasks without MNIST: $(tail -1 err)"

# The working folder no longer exists.
mkdir gone
cd gone || exit 1
rmdir "$SCRATCH/gone"
refuses 2 "the folder that this was started in no longer exists" --batch tasks
cd "$SCRATCH" || exit 1

# Damaged files: nothing is loaded, nothing is lost.
cp -r run broken
size=$(stat -c %s broken/estimator.safetensors)
printf '\xff' | dd of=broken/estimator.safetensors bs=1 seek=$((size / 2)) conv=notrunc status=none
refuses 1 "estimator.safetensors" --batch infer broken --data good.csv
cp run/estimator.safetensors broken/ && truncate -s $((size - 7)) broken/estimator.safetensors
refuses 1 "estimator.safetensors" --batch evaluate broken
cp run/estimator.safetensors broken/ && echo 'no = "such key"' >>broken/run.toml
refuses 2 "run.toml" --batch evaluate broken
finish
