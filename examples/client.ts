// Posts a cast, likes it and reads it back, with rookery/client.
// Run against `npm start`: node examples/client.ts "Hello"
import * as rookery from 'rookery/client'

const url = process.env.ROOKERY_HUB_URL ?? 'http://127.0.0.1:2281'
const operations = process.env.ROOKERY_OPS_URL ?? 'http://127.0.0.1:2280'
const [text = 'Hello from rookery/client'] = process.argv.slice(2)

// A development network hands out its keys. Elsewhere `rookery account create` makes them.
type Accounts = { accounts: { fid: number; appPrivateKey: string }[] }
const { accounts } = (await (await fetch(`${operations}/dev/accounts`)).json()) as Accounts
const { fid, appPrivateKey } = accounts[0]!
const signer = await rookery.keySigner(appPrivateKey)

const hub = rookery.createHub({ url })
const { network } = await hub.get('/v1/info')

async function submit(body: rookery.MessageBody) {
  const author = { fid, network: network as rookery.NetworkName }
  const signed = await rookery.signMessage(body, author, signer)
  return hub.post('/v1/submitMessage', signed.bytes)
}

const cast = await submit(rookery.castAdd({ text }))
await submit(rookery.reactionAdd('like', { fid, hash: cast.hash }))

const found = await hub.get('/v1/castById', { fid, hash: cast.hash })
const { messages } = await hub.get('/v1/reactionsByCast', {
  target_fid: fid,
  target_hash: cast.hash,
})
const likes = messages.length === 1 ? '1 like' : `${messages.length} likes`
if ('castAddBody' in found.data) console.log(`${found.data.castAddBody.text} (${likes})`)
