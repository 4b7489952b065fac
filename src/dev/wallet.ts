import Type from 'typebox'
import type { LocalAccount } from 'viem'
import type { Services } from '../app.ts'
import { json, type Route, route } from '../kernel/http/route.ts'
import { nameOf } from './accounts.ts'
import type { AccountOrigin } from './origin.ts'
import { listAccounts } from './seed.ts'

// A wallet with the accounts of a development network, so that pages can be tried without a real one. Their
// keys are public, so nothing is revealed.

const TAGS = [{ name: 'Development', description: 'Helpers that only a development network has.' }]

const Accounts = Type.Object({
  accounts: Type.Array(
    Type.Object({
      fid: Type.Integer(),
      name: Type.String(),
      custodyAddress: Type.String(),
    }),
  ),
})

/** Routes that only the client platform of a development network has. */
export const walletRoutes = (services: Services, origin: AccountOrigin): Route[] => [
  route('GET /dev/accounts', {
    callers: 'anyone',
    summary: 'The accounts that the development wallet signs for',
    description: 'Everybody may use them: they are for development only.',
    tags: TAGS,
    reply: Accounts,
    errors: [],
    cost: 'lookup',
    handler: async () => ({
      accounts: (await listAccounts(services, origin)).map(({ fid, account }) => ({
        fid,
        name: nameOf({ fid, account }),
        custodyAddress: account.custody.address.toLowerCase(),
      })),
    }),
  }),
  route('POST /dev/wallet', {
    callers: 'anyone',
    summary: 'A wallet that holds these accounts and signs every request',
    description:
      'The methods of EIP-1193 that pages need: eth_accounts, eth_requestAccounts, eth_chainId, ' +
      'personal_sign and eth_signTypedData_v4. What it refuses is an `error` under status 200.',
    tags: TAGS,
    body: json(
      Type.Object({
        method: Type.String({ maxLength: 64 }),
        params: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 4 })),
      }),
    ),
    reply: Type.Object({
      result: Type.Optional(Type.Unknown()),
      error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
    }),
    errors: [],
    cost: 'write',
    handler: async (_, { body }) => answer(services, origin, body.method, body.params ?? []),
  }),
]

/** The error codes of EIP-1193 and EIP-1474. */
const UNAUTHORIZED = 4100
const UNSUPPORTED = 4200
const INVALID_PARAMS = -32602

const refusal = (code: number, message: string) => ({ error: { code, message } })

async function answer(
  services: Services,
  origin: AccountOrigin,
  method: string,
  params: readonly unknown[],
) {
  const accounts = (await listAccounts(services, origin)).map(({ account }) => account.custody)
  const sign = async (
    address: unknown,
    work: (account: LocalAccount) => Promise<string | undefined>,
  ) => {
    const account = accounts.find((one) => sameText(one.address, address))
    if (!account) return refusal(UNAUTHORIZED, 'not an account of this wallet')
    const result = await work(account).catch(() => undefined)
    return result === undefined
      ? refusal(INVALID_PARAMS, `${method} cannot sign these parameters`)
      : { result }
  }
  switch (method) {
    case 'eth_accounts':
    case 'eth_requestAccounts':
      return { result: accounts.map(({ address }) => address.toLowerCase()) }
    case 'eth_chainId':
      return { result: `0x${services.signingNetwork.chainId.toString(16)}` }
    case 'personal_sign':
      return sign(params[1], async (account) => {
        const text = String(params[0])
        const isHex = /^0x(?:[0-9a-f]{2})*$/i.test(text)
        return account.signMessage({ message: isHex ? { raw: text as `0x${string}` } : text })
      })
    case 'eth_signTypedData_v4':
      return sign(params[0], async (account) => {
        const typedData = typeof params[1] === 'string' ? JSON.parse(params[1]) : params[1]
        return account.signTypedData(typedData)
      })
    default:
      return refusal(UNSUPPORTED, `this wallet does not know ${method}`)
  }
}

const sameText = (a: string, b: unknown) =>
  typeof b === 'string' && a.toLowerCase() === b.toLowerCase()
