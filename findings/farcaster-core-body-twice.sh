#!/usr/bin/env bash
# Package: @farcaster/core 0.20.0, and 0.14.20, which @farcaster/hub-nodejs 0.11.24 uses. Seen 2026-11-28.
# Expected: a builder writes the body of a message once, as `data` or as `data_bytes`, and either form is valid everywhere.
# Seen: the builders of 0.20.0 fill both, so a message has its body twice. With `data_bytes` alone 0.20.0 takes it and
#       0.14.20 says "data is missing". A server for all of them has to send both.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
npm install --silent --save-exact @farcaster/core@0.20.0 core-0-14@npm:@farcaster/core@0.14.20
cat >check.cjs <<'CODE'
const packages = { '0.20.0': require('@farcaster/core'), '0.14.20': require('core-0-14') }

async function castOf({ makeCastAdd, NobleEd25519Signer }) {
  const lists = { embeds: [], embedsDeprecated: [], mentions: [], mentionsPositions: [] }
  const signer = new NobleEd25519Signer(new Uint8Array(32).fill(1))
  const made = await makeCastAdd({ text: 'a'.repeat(300), type: 0, ...lists }, { fid: 1, network: 3 }, signer)
  return made._unsafeUnwrap()
}

async function main() {
  for (const [version, core] of Object.entries(packages)) {
    const bytes = core.Message.encode(await castOf(core)).finish()
    console.log(`${version} encodes a cast of 300 letters in ${bytes.length > 600 ? 'more' : 'less'} than 600 bytes`)
  }
  const core = packages['0.20.0']
  const cast = await castOf(core)
  const forms = { both: cast, data: { ...cast, dataBytes: undefined }, data_bytes: { ...cast, data: undefined } }
  for (const [form, message] of Object.entries(forms)) {
    const bytes = core.Message.encode(message).finish()
    for (const [version, { Message, validations }] of Object.entries(packages)) {
      const result = await validations.validateMessage(Message.decode(bytes))
      console.log(`${form} for ${version}: ${result.isOk() ? 'valid' : result.error.message}`)
    }
  }
}
main()
CODE
node check.cjs >seen
diff - seen <<'OUTPUT'
0.20.0 encodes a cast of 300 letters in more than 600 bytes
0.14.20 encodes a cast of 300 letters in less than 600 bytes
both for 0.20.0: valid
both for 0.14.20: valid
data for 0.20.0: valid
data for 0.14.20: valid
data_bytes for 0.20.0: valid
data_bytes for 0.14.20: data is missing
OUTPUT
echo 'as seen before'
