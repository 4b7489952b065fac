#!/usr/bin/env bash
# Package: wasm-vips 0.0.19 (libvips 8.18.7). Seen 2026-11-29.
# Expected: an AVIF of the brand `avis`, as avifenc 0.11 writes moving ones, is read as its first picture by whoever reads it by its name.
# Seen: newFromBuffer and thumbnailBuffer say that the format is not known; heifloadBuffer reads the same bytes.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
npm install --silent --save-exact wasm-vips@0.0.19
cat >check.mjs <<'CODE'
import load from 'wasm-vips'

const vips = await load({ dynamicLibraries: ['vips-heif.wasm'], printErr: () => {} })
const still = vips.Image.black(64, 48, { bands: 3 }).copy({ interpretation: 'srgb' })
const named = (brand) => {
  const bytes = Buffer.from(still.writeToBuffer('.avif'))
  bytes.write(brand, 8, 'latin1')
  return bytes
}
const tried = (what, work) => {
  try {
    const { width, height } = work()
    console.log(what, `${width} x ${height}`)
  } catch {
    console.log(what, 'not known')
  }
}
for (const brand of ['avif', 'avis']) {
  tried(`${brand}, newFromBuffer:`, () => vips.Image.newFromBuffer(named(brand)))
  tried(`${brand}, thumbnailBuffer:`, () => vips.Image.thumbnailBuffer(named(brand), 64))
  tried(`${brand}, heifloadBuffer:`, () => vips.Image.heifloadBuffer(named(brand)))
}
process.exit()
CODE
node check.mjs >seen
diff - seen <<'OUTPUT'
avif, newFromBuffer: 64 x 48
avif, thumbnailBuffer: 64 x 48
avif, heifloadBuffer: 64 x 48
avis, newFromBuffer: not known
avis, thumbnailBuffer: not known
avis, heifloadBuffer: 64 x 48
OUTPUT
echo 'as seen before'
