#!/usr/bin/env bash
# Package: web-push 3.6.7 (with http_ece 1.2.0). Seen 2026-11-28.
# Expected: a body that does not fit one record is refused, or its record is made larger: RFC 8291, section 4, allows a push
#           message one record only.
# Seen: the record size stays 4,096, and from 4,080 bytes on the body is cut into two records, without a word.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
npm install --silent --save-exact web-push@3.6.7 http_ece@1.2.0
cat >check.cjs <<'CODE'
const { createECDH, randomBytes } = require('node:crypto')
const webPush = require('web-push')

const device = createECDH('prime256v1')
const keys = { p256dh: device.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
for (const bytes of [4_079, 4_080]) {
  const { body } = webPush.generateRequestDetails({ endpoint: 'https://push.example/', keys }, Buffer.alloc(bytes))
  // The header of RFC 8188: salt, record size, length of the key id, key id.
  const recordBytes = body.readUInt32BE(16)
  const records = Math.ceil((body.length - 21 - body[20]) / recordBytes)
  console.log(`${bytes} bytes: ${records} of at most ${recordBytes}`)
}
CODE
node check.cjs >seen
diff - seen <<'OUTPUT'
4079 bytes: 1 of at most 4096
4080 bytes: 2 of at most 4096
OUTPUT
echo 'as seen before'
