// A snap: a poll inside casts, with no library. It answers a page, and counts the votes of people whose presses it has verified at
// a hub. Run it with: ROOKERY=http://127.0.0.1:2290 PORT=3003 node server.js

import { createPublicKey, verify } from 'node:crypto'
import { createServer } from 'node:http'

const { ROOKERY = 'http://127.0.0.1:2290', PORT = '3003' } = process.env
/** Where people reach this server: a press is signed for this origin, and for no other. */
const { ADDRESS = `http://localhost:${PORT}` } = process.env

const SNAP = 'application/vnd.farcaster.snap+json'
const MAX_BODY_BYTES = 256 * 1024
/** How far the time of a press may be off. */
const MAX_SKEW_SECONDS = 300
const COLOURS = ['Red', 'Green', 'Blue']
/** Votes by fid: who votes again changes the vote. A real server keeps them in its database. */
const votes = new Map()
const MAX_VOTES = 10_000

const text = (content) => ({ type: 'text', props: { content } })
const page = (elements, children) => ({
  version: '2.0',
  theme: { accent: 'teal' },
  ui: { root: 'root', elements: { root: { type: 'stack', props: {}, children }, ...elements } },
})

const question = () =>
  page(
    {
      question: text('Which colour shall the bench have?'),
      colour: { type: 'toggle_group', props: { name: 'colour', options: COLOURS } },
      vote: {
        type: 'button',
        props: { label: 'Vote', variant: 'primary' },
        on: { press: { action: 'submit', params: { target: `${ADDRESS}/vote` } } },
      },
    },
    ['question', 'colour', 'vote'],
  )

function results(said) {
  const count = (colour) => [...votes.values()].filter((one) => one === colour).length
  const bars = COLOURS.map((label) => ({ label, value: count(label) }))
  return page({ said: text(said), bars: { type: 'bar_chart', props: { bars } } }, ['said', 'bars'])
}

/** What must not go on: its message is for the reader. */
class Refusal extends Error {}

/** Who has pressed, and what they entered. Throws a Refusal unless the press is theirs, for this server and of this moment. */
async function verified(body) {
  const { header, payload, signature } = JSON.parse(body)
  const read = (part) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const { fid, type, key } = read(header)
  const { user, audience, timestamp, inputs } = read(payload)
  if (!Number.isSafeInteger(fid)) throw new Refusal('The press names nobody.')
  if (type !== 'app_key' || user?.fid !== fid) throw new Refusal('The press names two people.')
  if (audience !== ADDRESS) throw new Refusal('The press is for another server.')
  if (!(Math.abs(timestamp - Date.now() / 1_000) <= MAX_SKEW_SECONDS)) {
    throw new Refusal('The press is too old.')
  }
  if (!isSigned({ header, payload, signature, key })) throw new Refusal('The signature is wrong.')
  if (!(await isKeyOf(fid, key))) throw new Refusal('The key is not one of this account.')
  return { fid, inputs }
}

/** An Ed25519 signature over header.payload. */
function isSigned({ header, payload, signature, key }) {
  const jwk = {
    kty: 'OKP',
    crv: 'Ed25519',
    x: Buffer.from(key.slice(2), 'hex').toString('base64url'),
  }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = Buffer.from(`${header}.${payload}`)
  return verify(null, signed, publicKey, Buffer.from(signature, 'base64url'))
}

/** A hub knows which keys an account has. */
async function isKeyOf(fid, key) {
  const query = new URLSearchParams({ fid, signer: key })
  return (await fetch(`${ROOKERY}/hub/v1/onChainSignersByFid?${query}`)).status === 200
}

async function bodyOf(request) {
  const pieces = []
  let size = 0
  for await (const piece of request) {
    size += piece.length
    if (size > MAX_BODY_BYTES) throw new Refusal('The press is too large.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

async function vote(request) {
  const { fid, inputs } = await verified(await bodyOf(request))
  if (!COLOURS.includes(inputs.colour)) throw new Refusal('Choose a colour first.')
  if (!votes.has(fid) && votes.size >= MAX_VOTES) throw new Refusal('The poll is full.')
  votes.set(fid, inputs.colour)
  return results(`You have voted for ${inputs.colour}.`)
}

const server = createServer(async (request, response) => {
  const send = (status, type, value, headers = {}) => {
    const body = typeof value === 'string' ? value : JSON.stringify(value)
    response.writeHead(status, { 'content-type': type, vary: 'Accept', ...headers }).end(body)
  }
  try {
    if (request.method === 'POST' && request.url === '/vote') {
      send(200, SNAP, await vote(request))
    } else if (request.method !== 'GET' || request.url !== '/') {
      send(404, 'application/json', { error: 'There is nothing here.' })
    } else if (request.headers.accept?.includes(SNAP)) {
      send(200, SNAP, question())
    } else {
      // Browsers get a page, whose Link header leads clients to the snap.
      const html = '<!doctype html><title>A poll</title><p>Open it in a cast.'
      const link = `<${ADDRESS}/>; rel="alternate"; type="${SNAP}"`
      send(200, 'text/html; charset=utf-8', html, { link })
    }
  } catch (error) {
    // What is no JSON or has other parts is a press of nobody, too.
    const said = error instanceof Refusal ? error.message : 'This is not a press.'
    send(400, 'application/json', { error: said })
  }
})
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`A poll at ${ADDRESS}, for the network at ${ROOKERY}`)
})
