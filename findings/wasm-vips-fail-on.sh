#!/usr/bin/env bash
# Package: wasm-vips 0.0.19 (libvips 8.18.7). Seen 2026-11-29.
# Expected: `fail_on: 'truncated'` of thumbnailBuffer refuses a file that is cut off, as its types say and as the same option of a loader does.
# Seen: the thumbnail is made, with what is missing in grey. The same option in the text of `option_string` refuses it.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
npm install --silent --save-exact wasm-vips@0.0.19
cat >check.mjs <<'CODE'
import load from 'wasm-vips'

const vips = await load({ dynamicLibraries: [], printErr: () => {} })
const whole = vips.Image.gaussnoise(400, 400).cast('uchar').jpegsaveBuffer()
const cut = whole.subarray(0, whole.length / 2)
const tried = (what, work) => {
  try {
    const image = work()
    image.writeToMemory()
    console.log(what, `${image.width} x ${image.height}`)
  } catch {
    console.log(what, 'refused')
  }
}
tried('a loader, fail_on:', () => vips.Image.jpegloadBuffer(cut, { fail_on: 'truncated' }))
tried('a thumbnail, fail_on:', () =>
  vips.Image.thumbnailBuffer(cut, 100, { fail_on: 'truncated' }),
)
tried('a thumbnail, option_string:', () =>
  vips.Image.thumbnailBuffer(cut, 100, { option_string: '[fail_on=truncated]' }),
)
process.exit()
CODE
node check.mjs >seen
diff - seen <<'OUTPUT'
a loader, fail_on: refused
a thumbnail, fail_on: 100 x 100
a thumbnail, option_string: refused
OUTPUT
echo 'as seen before'
