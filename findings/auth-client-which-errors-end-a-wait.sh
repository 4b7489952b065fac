#!/usr/bin/env bash
# Package: @farcaster/auth-client 0.7.1. Seen 2026-11-28.
# Expected: watchStatus stops at an answer that cannot change, such as 401 for its token, and goes on after a gateway's 502.
# Seen: the other way round. It asks again after a 401 until its time is over (five minutes unless told otherwise), and one page
#       that is no JSON, as gateways send while a relay restarts, ends the wait of somebody who is about to sign in.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
npm install --silent --save-exact @farcaster/auth-client@0.7.1 viem@2.57.0
cat >check.mjs <<'CODE'
import { createServer } from 'node:http'
import { createAppClient, viemConnector } from '@farcaster/auth-client'

const ANSWERS = {
  refused: [401, 'application/json', '{"error":"unauthorized"}'],
  gateway: [502, 'text/html', '<html><body>Bad gateway</body></html>'],
}
let requests = 0
const server = createServer((request, response) => {
  requests++
  const [status, type, body] = ANSWERS[request.headers.authorization.split(' ')[1]]
  response.writeHead(status, { 'content-type': type }).end(body)
})
server.listen(0, '127.0.0.1', async () => {
  const relay = `http://127.0.0.1:${server.address().port}`
  const client = createAppClient({ relay, ethereum: viemConnector({ rpcUrl: 'http://127.0.0.1:1' }) })
  for (const channelToken of Object.keys(ANSWERS)) {
    requests = 0
    const result = await client.watchStatus({ channelToken, timeout: 2_000, interval: 50 })
    const times = requests > 1 ? 'many times' : 'once'
    console.log(`${channelToken}: asked ${times}, ${result.error.errCode}`)
  }
  server.close()
})
CODE
node check.mjs >seen
diff - seen <<'OUTPUT'
refused: asked many times, unavailable
gateway: asked once, unknown
OUTPUT
echo 'as seen before'
