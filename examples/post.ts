// Posts a cast with the published client library, as any Farcaster app does.
// Run against `npm start`: npx node examples/post.ts "Hello"
import { FarcasterNetwork, Message, makeCastAdd, NobleEd25519Signer } from '@farcaster/core'

const hub = process.env.ROOKERY_HUB_URL ?? 'http://127.0.0.1:2281'
const operations = process.env.ROOKERY_OPS_URL ?? 'http://127.0.0.1:2280'
const [text = 'Hello from @farcaster/core'] = process.argv.slice(2)

// A development network hands out its keys. Elsewhere they come from `rookery account create`.
type Accounts = { accounts: { fid: number; appPrivateKey: string }[] }
const { accounts } = (await (await fetch(`${operations}/dev/accounts`)).json()) as Accounts
const { fid, appPrivateKey } = accounts[0]!

const cast = await makeCastAdd(
  { text, embeds: [], embedsDeprecated: [], mentions: [], mentionsPositions: [], type: 0 },
  { fid, network: FarcasterNetwork.DEVNET },
  new NobleEd25519Signer(Buffer.from(appPrivateKey.slice(2), 'hex')),
)
const message = cast._unsafeUnwrap()

const answer = await fetch(`${hub}/v1/submitMessage`, {
  method: 'POST',
  headers: { 'content-type': 'application/octet-stream' },
  body: Buffer.from(Message.encode(message).finish()),
})
console.log(answer.status, await answer.text())
