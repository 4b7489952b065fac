// What the tests of signed key requests share: an app that asks, and users that approve, both written with viem
// from the published description and with nothing of ours.

import { ed25519 } from '@noble/curves/ed25519'
import { type Hex, hashMessage, type TypedDataDomain, toHex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { type Person, registryClient } from './registry-support.ts'
import type { Answer, World } from './world.ts'

const REQUEST_DOMAIN = {
  name: 'Farcaster SignedKeyRequestValidator',
  version: '1',
  chainId: 10,
  verifyingContract: '0x00000000fc700472606ed4fa22623acf62c60553',
} as const
const REQUEST_TYPES = {
  SignedKeyRequest: [
    { name: 'requestFid', type: 'uint256' },
    { name: 'key', type: 'bytes' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** That of gasless keys. */
export const GASLESS_DOMAIN = { name: 'Farcaster KeyAdd', version: '1', chainId: 1 } as const

/** A key of an app, from a seed. */
export type AppKey = { readonly seed: Uint8Array; readonly key: Hex }

export function appKey(n: number): AppKey {
  const seed = new Uint8Array(32).fill(7)
  new DataView(seed.buffer).setUint32(0, n)
  return { seed, key: toHex(ed25519.getPublicKey(seed)) }
}

export const signRequest = (
  account: LocalAccount,
  { requestFid, key, deadline }: { requestFid: number; key: Hex; deadline: number },
  domain: TypedDataDomain = REQUEST_DOMAIN,
): Promise<Hex> =>
  account.signTypedData({
    domain,
    types: REQUEST_TYPES,
    primaryType: 'SignedKeyRequest',
    message: { requestFid: BigInt(requestFid), key, deadline: BigInt(deadline) },
  })

export type Body = Record<string, unknown>

/** Who approves or denies. */
type Signing = Pick<Person, 'fid' | 'account'>

export type Asked = {
  readonly sponsor?: Person
  readonly gasless?: { readonly scopes: readonly string[]; readonly ttl: number }
}

export function keyRequestClient(world: World) {
  const now = () => Math.floor(world.clock.now() / 1000)
  const { people } = registryClient(world)

  /** The body by which an app asks for a key, with what is changed about it. */
  const bodyOf = async (app: Person, { key }: AppKey, { sponsor, gasless }: Asked = {}) => {
    const deadline = now() + 86_400
    const domain = gasless ? GASLESS_DOMAIN : REQUEST_DOMAIN
    const signature = await signRequest(app.account, { requestFid: app.fid, key, deadline }, domain)
    const sponsorship = sponsor && {
      sponsorFid: sponsor.fid,
      signature: await sponsor.account.signMessage({ message: { raw: signature } }),
    }
    return {
      ...{ key, requestFid: app.fid, deadline, signature },
      ...(sponsorship && { sponsorship }),
      ...(gasless && { gasless }),
    }
  }
  const post = (body: unknown) => world.platform('/v2/signed-key-requests', { body })
  const stateOf = (token: string) => world.platform(`/v2/signed-key-request?token=${token}`)
  /** Posts a request and gives its token. */
  const ask = async (app: Person, key: AppKey, options: Asked = {}) => {
    const { status, body } = await post(await bodyOf(app, key, options))
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body.result.signedKeyRequest.token as string
  }
  /** What a wallet sends after its user has signed. */
  const approvalOf = async (token: string, user: Signing) => {
    const path = `/v2/signed-key-request-approval?token=${token}&fid=${user.fid}`
    const { body } = await world.platform(path)
    const { typedData } = body.result.approval
    const signature = await user.account.signTypedData(typedData)
    const deadline = Number(typedData.message.deadline)
    return { token, deadline, signature, userFid: user.fid }
  }
  const send = (approval: Body): Promise<Answer> =>
    world.platform('/v2/approve-signed-key-requests', { method: 'PUT', body: approval })
  const approve = async (token: string, user: Signing) => send(await approvalOf(token, user))
  /** A token signed by the user's custody address, for declining. */
  const custodyToken = async (user: Signing) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const header = { fid: user.fid, type: 'custody', key: user.account.address }
    const signed = `${part(header)}.${part({ exp: now() + 60 })}`
    const signature = await user.account.sign!({ hash: hashMessage(signed) })
    return `${signed}.${Buffer.from(signature.slice(2), 'hex').toString('base64url')}`
  }
  const deny = async (token: string, user: Signing) =>
    world.platform('/v2/deny-signed-key-request', {
      method: 'PUT',
      body: { token },
      token: await custodyToken(user),
    })
  const grant = (fid: number, amount: number) =>
    operator(world, '/platform/credits', { fid, amount, reason: 'a test' })
  const creditOf = async (fid: number) =>
    (await operator(world, `/platform/credits?fid=${fid}`)).body.result
  return {
    now,
    people,
    bodyOf,
    post,
    stateOf,
    ask,
    approvalOf,
    send,
    approve,
    custodyToken,
    deny,
    grant,
    creditOf,
  }
}

async function operator(world: World, path: string, body?: object): Promise<Answer> {
  const response = await fetch(world.app.urls.operations + path, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}
