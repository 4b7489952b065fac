import {
  type GivenSettings,
  inBothModes,
  optionalSetting,
  parseHttpUrls,
  parseInteger,
  parseList,
  portSetting,
  requireSetting,
  type Setting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../base/setting.ts'
import { DEPLOYED_CHAIN_ID } from '../../protocol/crypto/account-domains.ts'

/** Base, where tiers are bought. */
export const TIER_CHAIN_ID = 8453
/** By chain id: the first block that can hold an event of the deployed contracts. */
export const START_BLOCKS: Readonly<Record<number, number>> = {
  [DEPLOYED_CHAIN_ID]: 108_864_739,
  [TIER_CHAIN_ID]: 31_180_908,
}
/** The contracts whose address can be set. */
const CONTRACTS = [
  'idRegistry',
  'idGateway',
  'keyRegistry',
  'keyGateway',
  'storageRegistry',
  'signedKeyRequestValidator',
  'bundler',
  'tierRegistry',
] as const

const settings = {
  chainRpcUrls: setting({
    variable: 'ROOKERY_CHAIN_RPC_URLS',
    what: 'JSON-RPC addresses, comma separated, first choice first: accounts are then followed from that chain (docs/chain.md).',
    defaults: inBothModes(''),
    parse: parseHttpUrls,
    secret: true,
  }),
  chainId: setting({
    variable: 'ROOKERY_CHAIN_ID',
    what: 'Id of the chain that accounts are followed from; a URL of another chain is never used.',
    defaults: inBothModes(String(DEPLOYED_CHAIN_ID)),
    parse: (text) => parseInteger(text, 1, 2 ** 32 - 1),
  }),
  chainContracts: setting({
    variable: 'ROOKERY_CHAIN_CONTRACTS',
    what: `Contracts at other addresses than the deployed ones, as name=address, comma separated: ${CONTRACTS.join(', ')}.`,
    defaults: inBothModes(''),
    parse: (text) => parseContracts(text, CONTRACTS),
  }),
  chainStartBlock: optionalSetting({
    variable: 'ROOKERY_CHAIN_START_BLOCK',
    what: `First block to follow accounts from; ${START_BLOCKS[DEPLOYED_CHAIN_ID]} on chain ${DEPLOYED_CHAIN_ID} unless given.`,
    parse: (text) => parseInteger(text, 1, 2 ** 32 - 1),
  }),
  chainConfirmations: setting({
    variable: 'ROOKERY_CHAIN_CONFIRMATIONS',
    what: 'How many blocks a block must have above it before its events count.',
    defaults: inBothModes('2'),
    parse: (text) => parseInteger(text, 0, 100_000),
  }),
  chainPollMs: setting({
    variable: 'ROOKERY_CHAIN_POLL_MS',
    what: 'How often the chain is asked for new blocks, in milliseconds; each time costs up to five RPC calls.',
    defaults: inBothModes('4000'),
    parse: (text) => parseInteger(text, 20, 3_600_000),
  }),
  tierRpcUrls: setting({
    variable: 'ROOKERY_TIER_RPC_URLS',
    what: 'JSON-RPC addresses, comma separated, of the chain where tiers are bought (Base); its purchases are then followed too.',
    defaults: inBothModes(''),
    parse: parseHttpUrls,
    secret: true,
  }),
}

export const CHAIN_SETTINGS = {
  title: 'Accounts from a chain',
  settings,
  check,
} satisfies SettingGroup

export type ChainConfig = SettingValues<typeof settings>

function check(given: GivenSettings): string[] {
  const { chainRpcUrls, tierRpcUrls } = settings
  return [
    ...requireSetting(given, chainRpcUrls, [
      settings.chainId,
      settings.chainContracts,
      settings.chainStartBlock,
      settings.chainConfirmations,
      settings.chainPollMs,
      tierRpcUrls,
    ]),
    ...checkStartBlock(given, chainRpcUrls, settings.chainId, settings.chainStartBlock),
  ]
}

/** Of a chain that runs beside the server, for development. */
export const LOCAL_CHAIN_SETTINGS = {
  title: 'Development network',
  settings: {
    chainPort: portSetting(
      'ROOKERY_CHAIN_PORT',
      'the chain that rookery start --chain anvil runs',
      8545,
    ),
  },
} satisfies SettingGroup

/** The first block is known for the deployed chains only. */
function checkStartBlock(
  { isGiven, textOf }: GivenSettings,
  urls: Setting<unknown>,
  chainId: Setting<unknown>,
  startBlock: Setting<unknown>,
): string[] {
  const id = textOf(chainId)
  if (!isGiven(urls) || isGiven(startBlock) || START_BLOCKS[Number(id)]) return []
  const { variable } = startBlock
  return [`${variable} is missing: since when chain ${id} has the contracts is not known here`]
}

/** Addresses by the names of contracts: name=address, comma separated. */
export function parseContracts<Name extends string>(
  text: string,
  names: readonly Name[],
): { readonly [N in Name]?: `0x${string}` } {
  const entries = Object.fromEntries(
    parseList(text).map((entry) => {
      const [, name = '', at = ''] = /^(\w+)=(0x[0-9a-fA-F]{40})$/.exec(entry) ?? []
      if (!(names as readonly string[]).includes(name)) {
        throw new Error(`must be name=address pairs with ${names.join(', ')}, not "${entry}"`)
      }
      return [name, at]
    }),
  )
  return entries as { readonly [N in Name]?: `0x${string}` }
}
