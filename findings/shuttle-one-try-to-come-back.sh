#!/usr/bin/env bash
# Package: @farcaster/shuttle 0.3.3. Seen 2026-11-28. Takes about 25 seconds, which are waits of the package.
# Expected: a subscriber that loses its stream tries again until the hub is back, also when the stream ended without an error.
# Seen: after an error it waits 5 seconds and tries once; if the hub is not back within 5 more, `start` rejects, nobody handles
#       that, and Node ends the process unless it is told otherwise. After a stream that ends with status 0 it does not try at all.
#       Whoever runs it needs a supervisor, and hubs should be back within 10 seconds.
# Output: the text between the lines OUTPUT below.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >npm.log
npm install --silent --save-exact @farcaster/shuttle@0.3.3 @grpc/grpc-js@1.11.4
cat >check.cjs <<'CODE'
const { setTimeout: delay } = require('node:timers/promises')
const grpc = require('@grpc/grpc-js')
const { BaseHubSubscriber, getHubClient } = require('@farcaster/shuttle')

const quiet = { info() {}, warn() {}, error() {}, debug() {} }
const bytes = (value) => value
const subscribe = { path: '/HubService/Subscribe', requestStream: false, responseStream: true }
const coded = { requestSerialize: bytes, requestDeserialize: bytes, responseSerialize: bytes, responseDeserialize: bytes }

/** A hub whose only call keeps its streams open; `streams` are the open ones. */
function startHub(streams) {
  const server = new grpc.Server()
  const onSubscribe = (call) => {
    call.sendMetadata(new grpc.Metadata())
    streams.push(call)
  }
  server.addService({ subscribe: { ...subscribe, ...coded } }, { subscribe: onSubscribe })
  return new Promise((resolve, reject) => {
    const credentials = grpc.ServerCredentials.createInsecure()
    server.bindAsync('127.0.0.1:0', credentials, (error, port) => (error ? reject(error) : resolve({ server, port })))
  })
}

class Subscriber extends BaseHubSubscriber {
  starts = 0
  start() {
    this.starts++
    return super.start()
  }
  getLastEventId() {}
  processHubEvent() {}
}

/** Starts a subscriber, ends its stream by `end`, and tells what it did within 12 seconds. */
async function tell(what, end) {
  const streams = []
  const { server, port } = await startHub(streams)
  const { client } = getHubClient(`127.0.0.1:${port}`, { ssl: false })
  const subscriber = new Subscriber('check', client, quiet, [1], 1, 1)
  subscriber.on('onError', () => {})
  let rejections = 0
  const onRejection = () => rejections++
  process.on('unhandledRejection', onRejection)
  await subscriber.start()
  while (streams.length === 0) await delay(20)
  end(streams[0], server)
  await delay(12_000)
  process.off('unhandledRejection', onRejection)
  console.log(`${what}: ${subscriber.starts - 1} tries, ${rejections} rejections that nobody handles`)
  client.close()
  server.forceShutdown()
}

async function main() {
  await tell('the hub goes away', (_, server) => server.forceShutdown())
  await tell('the stream ends with status 0', (stream) => stream.end())
  process.exit()
}
main()
CODE
node check.cjs >seen
diff - seen <<'OUTPUT'
the hub goes away: 1 tries, 1 rejections that nobody handles
the stream ends with status 0: 0 tries, 0 rejections that nobody handles
OUTPUT
echo 'as seen before'
