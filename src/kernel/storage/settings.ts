import { resolve } from 'node:path'
import { parseDatabaseUrl } from '../base/database-url.ts'
import {
  inBothModes,
  optionalSetting,
  parseChoice,
  parseInteger,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../base/setting.ts'
import { Network } from '../protocol/wire/message_pb.js'

export const NETWORKS = {
  mainnet: Network.MAINNET,
  testnet: Network.TESTNET,
  devnet: Network.DEVNET,
}

const settings = {
  dataDir: setting({
    variable: 'ROOKERY_DATA_DIR',
    what: 'Directory of the embedded store.',
    defaults: inBothModes('data'),
    parse: (text) => resolve(text),
  }),
  databaseFlush: setting({
    variable: 'ROOKERY_DATABASE_FLUSH',
    what: 'on: what is acknowledged is on the disk and outlives a power cut. off: the embedded store does not wait for the disk, and a power cut may damage it; for temporary data in development only.',
    defaults: inBothModes('on'),
    parse: (text) => parseChoice(text, { on: true, off: false }),
  }),
  diskQuotaGib: optionalSetting({
    variable: 'ROOKERY_DISK_QUOTA_GIB',
    what: 'Disk space that the data may use, in GiB, such as 20 or 0.5. From 80 % on the operator is warned, from 90 % on uploads are refused, and at 100 % new messages are. Unless given, what the disk has room for; on PostgreSQL none.',
    parse: parseGib,
  }),
  databaseUrl: optionalSetting({
    variable: 'DATABASE_URL',
    what: 'PostgreSQL to use in place of the embedded store: postgres://user:password@host/name; several hosts are separated by commas. A host that is not this machine must have a valid TLS certificate unless the URL has an sslmode.',
    parse: checkedDatabaseUrl,
    secret: true,
  }),
  databaseReadUrl: optionalSetting({
    variable: 'DATABASE_READ_URL',
    what: 'Standbys of that PostgreSQL for reads of the hub and of the app API, in the same form; docs/postgresql.md says what they promise.',
    parse: checkedDatabaseUrl,
    secret: true,
  }),
  databaseConnections: setting({
    variable: 'ROOKERY_DATABASE_CONNECTIONS',
    what: 'Most connections to PostgreSQL for reads, to each host, for each process and each of its threads that uses the database; as many again for transactions, each of which has one.',
    defaults: inBothModes('8'),
    parse: (text) => parseInteger(text, 1, 1_000),
  }),
  databasePreparedStatements: setting({
    variable: 'ROOKERY_DATABASE_PREPARED_STATEMENTS',
    what: 'on, or off behind a connection pooler that does not know the prepared statements of its clients.',
    defaults: inBothModes('on'),
    parse: (text) => parseChoice(text, { on: true, off: false }),
  }),
  databaseTimeoutSeconds: setting({
    variable: 'ROOKERY_DATABASE_TIMEOUT_SECONDS',
    what: 'Time for one statement of PostgreSQL, waiting for locks included; a transaction may take four times as long, a migration any time, and to connect to a host a sixth.',
    defaults: inBothModes('30'),
    parse: (text) => parseInteger(text, 1, 3_600),
  }),
  network: setting({
    variable: 'ROOKERY_NETWORK',
    what: 'Network of the messages. It cannot change later. mainnet is what published apps sign for, also for a network of your own; testnet and devnet are for trials.',
    defaults: { development: 'devnet' },
    parse: (text) => parseChoice(text, NETWORKS),
    requiredIn: 'production',
  }),
}

export const STORAGE_SETTINGS = {
  title: 'Storage',
  settings,
  check: ({ mode, values }) => [
    ...(mode === 'production' && values.databaseFlush === false
      ? ['ROOKERY_DATABASE_FLUSH must be on: what is acknowledged must outlive a power cut']
      : []),
  ],
} satisfies SettingGroup

export type StorageConfig = SettingValues<typeof settings>

function parseGib(text: string): number {
  const gib = /^\d{1,7}(\.\d{1,9})?$/.test(text) ? Number(text) : 0
  if (gib === 0) throw new Error('must be a number of GiB above 0, such as 20 or 0.5')
  return gib
}

function checkedDatabaseUrl(text: string): string {
  parseDatabaseUrl(text)
  return text
}
