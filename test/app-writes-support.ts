// What the tests of writes through the app API share: the stock client, and users with approved signers.

import { Configuration, isApiErrorResponse, NeynarAPIClient } from '@neynar/nodejs-sdk'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { keyRequestClient, signRequest } from './key-requests-support.ts'
import { PATIENCE_MS } from './patience.ts'
import { type Person, registryClient } from './registry-support.ts'
import type { World } from './world.ts'

/** The stock client with a key of the server, the development network's own unless given. */
export const sdk = (world: World, apiKey = DEVELOPMENT_KEY): NeynarAPIClient =>
  new NeynarAPIClient(
    new Configuration({
      apiKey,
      basePath: world.app.urls.app,
      baseOptions: { timeout: PATIENCE_MS },
    }),
  )

/** The status, code and property of the error that a call of the stock client must end in. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => new Error('was accepted'),
    (thrown) => thrown,
  )
  if (!isApiErrorResponse(error)) throw error
  // biome-ignore lint/suspicious/noExplicitAny: the client declares fewer fields
  const data = error.response!.data as any
  const property = data.property === undefined ? '' : ` ${data.property}`
  return `${error.response!.status} ${data.code}${property}`
}

export type Writer = Person & { readonly signerUuid: string; readonly username: string }

/** People, and how they come by signers and names. */
export function writersOf(world: World) {
  const requests = keyRequestClient(world)
  const registry = registryClient(world)

  /** Asks for an approval with the custody key of an app. */
  const register = async (client: NeynarAPIClient, app: Person, signerUuid: string) => {
    const { public_key } = await client.lookupSigner({ signerUuid })
    const deadline = requests.now() + 86_400
    const key = public_key as `0x${string}`
    const signature = await signRequest(app.account, { requestFid: app.fid, key, deadline })
    return client.registerSignedKey({ signerUuid, appFid: app.fid, deadline, signature })
  }
  const tokenOf = (url: string | undefined): string => new URL(url!).searchParams.get('token')!
  const signer = async (client: NeynarAPIClient, app: Person, user: Person): Promise<string> => {
    const { signer_uuid } = await client.createSigner()
    const { signer_approval_url } = await register(client, app, signer_uuid)
    const { status } = await requests.approve(tokenOf(signer_approval_url), user)
    if (status !== 200) throw new Error(`approval: ${status}`)
    return signer_uuid
  }
  return {
    ...requests,
    registry,
    register,
    tokenOf,
    signer,
    /** A user with a name and an approved signer of the client's app. */
    async writer(client: NeynarAPIClient, app: Person, fid: number): Promise<Writer> {
      const user = await registry.person(fid)
      const username = `user${fid}`
      await registry.register(user, username)
      await registry.setUsername(user, username)
      return { ...user, username, signerUuid: await signer(client, app, user) }
    },
  }
}
