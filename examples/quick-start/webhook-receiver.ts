// A webhook receiver: the server calls it for each new cast of some people, signed, and again until it answers 200.
// Run: node examples/quick-start/webhook-receiver.ts http://127.0.0.1:2290 development 1,2,3
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as rookery from 'rookery/client'

const [url = 'http://127.0.0.1:2290', key = 'development', fids = '1'] = process.argv.slice(2)
const { app } = rookery.createNetwork({ url, credentials: { key } })
const MAX_BODY_BYTES = 1_000_000
let secret: string | undefined

const server = createServer(async (request, response) => {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) return response.writeHead(413).end()
    parts.push(part)
  }
  const body = Buffer.concat(parts)
  if (!isSigned(body, String(request.headers['x-neynar-signature']))) {
    return response.writeHead(401).end()
  }
  const { type, data } = JSON.parse(body.toString())
  console.log(`${type} by @${data.author.username}: ${data.text}`)
  // What is not answered with 200 comes again: handle each delivery as often as it comes.
  response.writeHead(200).end()
})

/** Over the very bytes of the body; compared in constant time. */
function isSigned(body: Buffer, signature: string): boolean {
  if (secret === undefined) return false
  const expected = createHmac('sha512', secret).update(body).digest()
  const given = Buffer.from(signature, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

server.listen(Number(process.env.PORT ?? 3001), '127.0.0.1', async () => {
  // In production an https address that the server can reach.
  const own = process.env.PUBLIC_URL ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const subscription = { 'cast.created': { author_fids: fids.split(',').map(Number) } }
  const terms = { name: 'new casts', url: own, subscription }
  const { webhook } = await app.post('/v2/farcaster/webhook', terms)
  secret = webhook.secrets[0]!.value
  console.log(`waiting for casts of ${fids} at ${own}`)
})
