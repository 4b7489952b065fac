#!/usr/bin/env bash
# Package: node 26.10.0 (the runner of `node --test`). Seen 2026-11-29 on Linux.
# Expected: with --test-force-exit a run reports every test that was run.
# Seen: a file whose 500 tests end in one moment has fewer reports, often none, in most runs, and the run passes: the process of the file
#       ends while its output waits for the pipe. Without the option all 500 are reported. Not each run loses some, so
#       eight runs are made of each.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
npm install --silent --save-exact node@26.10.0
cat >many.test.mjs <<'CODE'
import { describe, test } from 'node:test'
describe('many', () => {
  for (let i = 0; i < 500; i++) test(`${i} ${'x'.repeat(500)}`, () => {})
})
CODE
runs() {
  for _ in 1 2 3 4 5 6 7 8; do
    "$dir/node_modules/.bin/node" --test "$@" --test-reporter=tap many.test.mjs >run.txt && echo "passed with $(sed -n 's/^# pass //p' run.txt)"
  done | sort | uniq -c | sed 's/^ *//'
}
{
  echo "without the option: $(runs)"
  runs --test-force-exit >forced
  if grep -qv 'with 500' forced; then echo 'with --test-force-exit: runs passed with fewer'; else echo 'with --test-force-exit: all'; fi
} >seen
diff - seen <<'OUTPUT'
without the option: 8 passed with 500
with --test-force-exit: runs passed with fewer
OUTPUT
echo 'as seen before'
