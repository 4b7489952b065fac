// Signs a user of a development network in, from both sides: `node examples/sign-in.ts http://127.0.0.1:2290`. An app
// needs only the parts that are marked "app"; the wallet is the page that the server shows, or another one.

import { createAppClient, createWalletClient, viemConnector } from '@farcaster/auth-client'
import { createClient } from '@farcaster/quick-auth'
import { stringToHex } from 'viem/utils'

const server = process.argv[2] ?? 'http://127.0.0.1:2290'
const domain = 'app.example'
const uri = 'https://app.example/login'

// App: in a browser `@farcaster/auth-kit` does the same with `config={{ relay, rpcUrl }}`.
const relay = `${server}/platform`
const ethereum = viemConnector({ rpcUrl: `${server}/accounts` })
const app = createAppClient({ relay, ethereum })
const { data: channel } = await app.createChannel({ siweUri: uri, domain })
console.log(`Open ${channel.url.split('?')[0]}`)

// Wallet: the user approves.
const wallet = createWalletClient({ relay, ethereum })
const accounts = (await (await fetch(`${relay}/dev/accounts`)).json()) as {
  accounts: { fid: number; custodyAddress: `0x${string}` }[]
}
const { fid, custodyAddress } = accounts.accounts.find((account) => account.fid === 2)!
await wallet.authenticate({
  ...(await signed(channel.nonce)),
  channelToken: channel.channelToken,
  authKey: '',
})

// App: waits for the signature and verifies it on its server.
const { data } = await app.watchStatus({ channelToken: channel.channelToken })
const verified = await app.verifySignInMessage({
  nonce: channel.nonce,
  domain,
  message: data.message!,
  signature: data.signature!,
})
console.log(`Signed in: ${data.username}, fid ${verified.fid}, ${verified.success}`)

// App: the same with a token, which its server can verify without asking anybody.
const quickAuth = createClient({ origin: relay })
const { nonce } = await quickAuth.generateNonce()
const { token } = await quickAuth.verifySiwf({ ...(await signed(nonce)), domain })
const claims = await quickAuth.verifyJwt({ token, domain })
console.log(`Token of fid ${claims.sub} for ${claims.aud}`)

/** What a wallet signs, here by the wallet of the development network. */
async function signed(nonce: string) {
  const params = { domain, uri, nonce, address: custodyAddress, fid }
  const { message } = wallet.buildSignInMessage(params)
  const response = await fetch(`${relay}/dev/wallet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      method: 'personal_sign',
      params: [stringToHex(message), custodyAddress],
    }),
  })
  const { result: signature } = (await response.json()) as { result: `0x${string}` }
  return { message, signature, fid }
}
