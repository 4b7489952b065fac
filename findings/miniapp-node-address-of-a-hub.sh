#!/usr/bin/env bash
# Package: @farcaster/miniapp-node 0.2.0. Seen 2026-11-28.
# Expected: createVerifyAppKeyWithHub(address) asks below the address that it is given, with its query, and reads every page.
# Seen: path and query of the address are dropped, so a hub below a prefix needs its route at the root too; one page is read,
#       so the key of an app on a later page is not valid.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
npm install --silent --save-exact @farcaster/miniapp-node@0.2.0
cat >check.cjs <<'CODE'
const { createVerifyAppKeyWithHub } = require('@farcaster/miniapp-node')
const { createServer } = require('node:http')

const KEY = `0x${'11'.repeat(32)}`
const server = createServer((request, response) => {
  console.log(`asked: ${request.url}`)
  response.setHeader('content-type', 'application/json')
  // A first page without keys, and the token of a second one.
  response.end(JSON.stringify({ events: [], nextPageToken: 'AQ==' }))
})
server.listen(0, '127.0.0.1', async () => {
  const address = `http://127.0.0.1:${server.address().port}/hub?api_key=abc`
  console.log(JSON.stringify(await createVerifyAppKeyWithHub(address)(7, KEY)))
  server.close()
})
CODE
node check.cjs >seen
diff - seen <<'OUTPUT'
asked: /v1/onChainSignersByFid?fid=7
{"valid":false}
OUTPUT
echo 'as seen before'
