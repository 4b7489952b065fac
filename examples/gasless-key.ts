// Adds a key to an account by a message: two signatures of a wallet and no transaction. Then casts with the key and removes it.
// Run against `npm start`: node examples/gasless-key.ts
import * as rookery from 'rookery/client'
import { privateKeyToAccount } from 'viem/accounts'

const hub = rookery.createHub({ url: process.env.ROOKERY_HUB_URL ?? 'http://127.0.0.1:2281' })
const accountsUrl = process.env.ROOKERY_ACCOUNTS_URL ?? 'http://127.0.0.1:2287'
const operations = process.env.ROOKERY_OPS_URL ?? 'http://127.0.0.1:2280'

// A development network hands out its keys. In a browser the wallet signs:
// provider.request({ method: 'eth_signTypedData_v4', params: [address, JSON.stringify(typedData)] })
type Accounts = { accounts: { fid: number; custodyPrivateKey: `0x${string}` }[] }
const { accounts } = (await (await fetch(`${operations}/dev/accounts`)).json()) as Accounts
const { fid, custodyPrivateKey } = accounts[0]!
const wallet = privateKeyToAccount(custodyPrivateKey)
const sign = (typedData: rookery.WalletTypedData) => wallet.signTypedData(typedData as never)

const { structs } = await rookery.createAccounts({ url: accountsUrl }).get('/v1/domains')
const { network } = await hub.get('/v1/info')

const pair = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
const signer = await rookery.keyPairSigner(pair as rookery.KeyPair)
const key = signer.publicKey

async function submit(body: rookery.MessageBody) {
  const author = { fid, network: network as rookery.NetworkName }
  const signed = await rookery.signMessage(body, author, signer)
  return hub.post('/v1/submitMessage', signed.bytes)
}

// The account asks for the key in its own name; an app would sign the request with its own custody key.
const deadline = rookery.networkTime(Date.now()) + 3_600
const request = { requestFid: fid, key, deadline }
const metadata = rookery.keyRequestMetadata({
  ...request,
  requestSigner: wallet.address,
  signature: await sign(rookery.keyRequestTypedData(structs, request)),
})

const { currentUserNonce } = await hub.get('/v1/signersByFid', { fid })
const terms = { key, deadline, nonce: currentUserNonce + 1 }
const scopes = ['castAdd', 'castRemove'] as const
const added = { ...terms, scopes, ttl: 30 * 86_400 }
const custodySignature = await sign(rookery.keyAddTypedData(structs, { fid, ...added }))
await submit(rookery.keyAdd({ ...added, metadata, custodySignature }))
const cast = await submit(rookery.castAdd({ text: 'Signed by a gasless key' }))
if ('castAddBody' in cast.data) console.log(cast.data.castAddBody.text)

const removed = { ...terms, nonce: terms.nonce + 1 }
const signature = await sign(rookery.keyRemoveTypedData(structs, { fid, ...removed }))
await submit(rookery.keyRemove({ ...removed, signature }))
