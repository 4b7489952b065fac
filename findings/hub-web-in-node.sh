#!/usr/bin/env bash
# Package: @farcaster/hub-web 0.13.0. Seen 2026-11-28 with Node 20 and 26.
# Expected: what its README calls an HTTP interface for every environment can be imported in Node and called there.
# Seen: `import` fails; `require` works and makes a client, and every call of it throws a TypeError before anything is sent.
#       It speaks gRPC-web and is made for bundles of browsers.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
npm install --silent --save-exact @farcaster/hub-web@0.13.0
cat >import.mjs <<'CODE'
await import('@farcaster/hub-web').then(
  () => console.log('import works'),
  (error) => console.log(`import: ${error.name}`),
)
CODE
cat >require.cjs <<'CODE'
const { getHubRpcClient } = require('@farcaster/hub-web')
const { createServer } = require('node:http')

let requests = 0
const server = createServer((_, response) => {
  requests++
  response.end()
})
server.listen(0, '127.0.0.1', async () => {
  const client = getHubRpcClient(`http://127.0.0.1:${server.address().port}`)
  for (const method of ['getInfo', 'getCastsByFid']) {
    await (async () => client[method]({ fid: 1 }))().then(
      () => console.log(`${method}: an answer`),
      (error) => console.log(`${method}: ${error.name}`),
    )
  }
  console.log(`requests: ${requests}`)
  server.close()
})
CODE
{ node import.mjs && node require.cjs; } >seen
diff - seen <<'OUTPUT'
import: SyntaxError
getInfo: TypeError
getCastsByFid: TypeError
requests: 0
OUTPUT
echo 'as seen before'
