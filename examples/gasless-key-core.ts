// Adds a gasless key to an account with @farcaster/core, without a transaction, and posts a cast with it.
// Run against `npm start`: FID=... CUSTODY_KEY=0x... npx node examples/gasless-key-core.ts
import * as core from '@farcaster/core'
import { privateKeyToAccount } from 'viem/accounts'

const hub = process.env.ROOKERY_HUB ?? 'http://127.0.0.1:2281'
const fid = Number(process.env.FID)
const custody = new core.ViemLocalEip712Signer(
  privateKeyToAccount(process.env.CUSTODY_KEY as `0x${string}`),
)
const network = core.FarcasterNetwork.DEVNET

/** The value of a result of the library; throws its error. */
const unwrap = <T>(result: core.HubResult<T>): T => {
  if (result.isErr()) throw result.error
  return result.value
}

async function submit(message: core.Message): Promise<void> {
  const response = await fetch(`${hub}/v1/submitMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: Buffer.from(core.Message.encode(message).finish()),
  })
  if (!response.ok) throw new Error(await response.text())
}

// The key is made here and stays here. The nonce is above every nonce that the account has used.
const key = new core.NobleEd25519Signer(crypto.getRandomValues(new Uint8Array(32)))
const publicKey = unwrap(await key.getSignerKey())
const listed = await fetch(`${hub}/v1/signersByFid?fid=${fid}`)
const { currentUserNonce } = (await listed.json()) as { currentUserNonce: number }
const now = unwrap(core.getFarcasterTime())

// The custody address allows the key to add casts; it ends when it is not used for a day. The second signature is that
// of the app's custody address: this app acts for the user's own fid.
const body = unwrap(
  await core.makeKeyAddBody(
    {
      fid: BigInt(fid),
      key: publicKey,
      scopes: [core.MessageType.CAST_ADD],
      ttl: 86_400,
      nonce: currentUserNonce + 1,
      deadline: now + 3_600,
      requestFid: BigInt(fid),
    },
    custody,
    custody,
  ),
)
await submit(unwrap(await core.makeKeyAdd(body, { fid, network }, key)))

const cast = unwrap(
  await core.makeCastAdd(
    {
      text: 'Signed by a key that no transaction added.',
      type: core.CastType.CAST,
      embeds: [],
      embedsDeprecated: [],
      mentions: [],
      mentionsPositions: [],
    },
    { fid, network },
    key,
  ),
)
await submit(cast)
const added = await fetch(
  `${hub}/v1/signer?fid=${fid}&signer=0x${Buffer.from(publicKey).toString('hex')}`,
)
const { signer } = (await added.json()) as { signer: { source: string; scopes: string[] } }
console.log(
  `${signer.source} ${signer.scopes.join()} posted 0x${Buffer.from(cast.hash).toString('hex')}`,
)
