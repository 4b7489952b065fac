import { resolve } from 'node:path'
import { Network } from '../protocol/wire/message_pb.js'
import {
  inBothModes,
  optionalSetting,
  parseChoice,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../setting.ts'

export const NETWORKS = {
  mainnet: Network.MAINNET,
  testnet: Network.TESTNET,
  devnet: Network.DEVNET,
}

/** The word for a network's number in settings. */
export const networkName = (network: number): string =>
  Object.entries(NETWORKS).find(([, number]) => number === network)?.[0] ?? String(network)

const settings = {
  dataDir: setting({
    variable: 'ROOKERY_DATA_DIR',
    what: 'Directory of the embedded store.',
    defaults: inBothModes('data'),
    parse: (text) => resolve(text),
  }),
  databaseUrl: optionalSetting({
    variable: 'DATABASE_URL',
    what: 'PostgreSQL to use in place of the embedded store: postgres://user:password@host/name.',
    parse: parseDatabaseUrl,
    secret: true,
  }),
  network: setting({
    variable: 'ROOKERY_NETWORK',
    what: 'Network of the messages: mainnet, testnet or devnet.',
    defaults: { development: 'devnet' },
    parse: (text) => parseChoice(text, NETWORKS),
    requiredIn: 'production',
  }),
}

export const STORAGE_SETTINGS = {
  title: 'Storage',
  settings,
} satisfies SettingGroup

export type StorageConfig = SettingValues<typeof settings>

function parseDatabaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new Error('must be a URL like postgres://user:password@host:5432/name')
  }
  return text
}
