#!/usr/bin/env bash
# Package: hyparquet 1.31.5. Seen 2026-11-29.
# Expected: a text of a Parquet file is read as it was written, also when its first character is U+FEFF.
# Seen: hyparquet drops the mark at the beginning of a text, as its TextDecoder does by default; elsewhere in a text it stays.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
npm install --silent --save-exact hyparquet@1.31.5 hyparquet-writer@0.17.0
cat >check.mjs <<'CODE'
import { parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'

const data = ['\u{feff}a', 'a\u{feff}']
const file = parquetWriteBuffer({ columnData: [{ name: 'text', data, type: 'STRING' }] })
const rows = await parquetReadObjects({ file })
console.log(rows.map(({ text }) => text.length).join(' and '), 'characters of 2 and 2')
CODE
node check.mjs >seen
diff - seen <<'OUTPUT'
1 and 2 characters of 2 and 2
OUTPUT
echo 'as seen before'
