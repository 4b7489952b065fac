import { readFileSync } from 'node:fs'
import {
  type GivenSettings,
  inBothModes,
  optionalSetting,
  parseChoice,
  parseInteger,
  parseList,
  requireSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'
import { HUB_SETTINGS } from '../../kernel/hub/settings.ts'

/** A hub to mirror. */
export type SourceAddress = {
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
}

const PROTOCOLS: Readonly<Record<string, boolean>> = { 'grpc:': false, 'grpcs:': true }
const LOOPBACK = ['localhost', '127.0.0.1', '::1']

const settings = {
  mirrorUrls: setting({
    variable: 'ROOKERY_MIRROR_URLS',
    what: 'Hubs to mirror, first choice first, comma separated: `grpcs://host:port` or `grpc://host:port`. Makes `serve` a mirror (docs/mirror.md). Plain `grpc` to another machine needs `?insecure=yes`.',
    defaults: inBothModes(''),
    parse: parseAddresses,
  }),
  mirrorHeaders: setting({
    variable: 'ROOKERY_MIRROR_HEADERS',
    what: 'Metadata of each call to the source, as name=value, comma separated, such as x-api-key=KEY.',
    defaults: inBothModes(''),
    parse: parseHeaders,
    secret: true,
  }),
  mirrorCa: optionalSetting({
    variable: 'ROOKERY_MIRROR_CA',
    what: "File of root certificates in place of the system's.",
    parse: String,
  }),
  mirrorScope: setting({
    variable: 'ROOKERY_MIRROR_SCOPE',
    what: 'Who is mirrored: `all`, or `chosen` by rules (`rookery mirror add`).',
    defaults: inBothModes('chosen'),
    parse: (text) => parseChoice(text, { all: 'all', chosen: 'chosen' } as const),
  }),
  mirrorRate: setting({
    variable: 'ROOKERY_MIRROR_RATE',
    what: 'Requests to the source a second, streams not counted; 0: no limit.',
    defaults: inBothModes('0'),
    parse: (text) => parseInteger(text, 0, 100_000),
  }),
  mirrorUnknownSigners: setting({
    variable: 'ROOKERY_MIRROR_UNKNOWN_SIGNERS',
    what: 'What is done with messages whose key the author does not have and never had, as far as is known, such as a gasless key that was removed: `quarantine`, or `accept` by the word of the source.',
    defaults: inBothModes('quarantine'),
    parse: (text) => parseChoice(text, { quarantine: 'quarantine', accept: 'accept' } as const),
  }),
  mirrorContextDepth: setting({
    variable: 'ROOKERY_MIRROR_CONTEXT_DEPTH',
    what: 'Of casts of chosen people, this many casts above a reply are mirrored, and what they quote, with the profiles of those authors and of people who are mentioned; 0: nothing of it.',
    defaults: inBothModes('20'),
    parse: (text) => parseInteger(text, 0, 1_000),
  }),
  mirrorMinFreeGib: setting({
    variable: 'ROOKERY_MIRROR_MIN_FREE_GIB',
    what: 'With less free disk than this (GiB) nobody new is read; what is mirrored already is followed.',
    defaults: inBothModes('5'),
    parse: (text) => parseInteger(text, 0, 100_000),
  }),
  mirrorSubmits: setting({
    variable: 'ROOKERY_MIRROR_SUBMITS',
    what: 'What is done with messages that clients submit: `refuse`, or `forward` to the source. A 200 then means accepted there and stored here.',
    defaults: inBothModes('refuse'),
    parse: (text) => parseChoice(text, { refuse: 'refuse', forward: 'forward' } as const),
  }),
  mirrorEnded: setting({
    variable: 'ROOKERY_MIRROR_ENDED',
    what: '`yes` serves the data of a mirror without following its source any more, for good: nobody can write.',
    defaults: inBothModes('no'),
    parse: (text) => parseChoice(text, { yes: true, no: false }),
  }),
}

const constants = {
  /** Requests to the source at a time. More do not make a hub answer faster, and its operator notices them. */
  mirrorConcurrency: 8,
}

export const MIRROR_SETTINGS = {
  title: 'Mirror',
  settings,
  constants,
  check,
} satisfies SettingGroup

export type MirrorConfig = SettingValues<typeof settings> & typeof constants

function check(given: GivenSettings): string[] {
  const { mirrorUrls, mirrorEnded, ...others } = settings
  const faults = requireSetting(given, mirrorUrls, Object.values(others))
  if (!given.isGiven(mirrorUrls)) return faults
  const { revokeOnKeyRemoval, enforceBlocks } = HUB_SETTINGS.settings
  const { values } = given
  // Each would make the mirror another network than its source.
  const excluded = [
    ...(values.mirrorEnded === true ? [mirrorEnded] : []),
    ...(values.revokeOnKeyRemoval === true ? [revokeOnKeyRemoval] : []),
    ...(values.enforceBlocks === true && given.isGiven(enforceBlocks) ? [enforceBlocks] : []),
  ]
  for (const { variable } of excluded) {
    faults.push(
      `${variable} is not for a mirror, which ${mirrorUrls.variable} makes of this server`,
    )
  }
  return faults
}

export function parseAddresses(text: string): SourceAddress[] {
  return parseList(text).map((one) => {
    const url = URL.canParse(one) ? new URL(one) : undefined
    const isSecure = PROTOCOLS[url?.protocol ?? '']
    if (!url || isSecure === undefined || url.hostname === '' || url.port === '') {
      throw new Error('must be grpcs://host:port or grpc://host:port, comma separated')
    }
    if (url.username !== '' || url.password !== '' || !/^\/?$/.test(url.pathname)) {
      throw new Error(
        'must be without user, password and path; keys belong in ROOKERY_MIRROR_HEADERS',
      )
    }
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const isAllowed =
      isSecure || LOOPBACK.includes(host) || url.searchParams.get('insecure') === 'yes'
    if (!isAllowed)
      throw new Error(`must end in ?insecure=yes for ${host}: grpc:// is not encrypted`)
    return { host, port: Number(url.port), isSecure }
  })
}

/** The certificates in the file of ROOKERY_MIRROR_CA. */
export function certificatesIn(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`ROOKERY_MIRROR_CA cannot be read: ${(error as Error).message}`)
  }
}

/** The message does not show the values. */
function parseHeaders(text: string): Record<string, string> {
  return Object.fromEntries(parseList(text).map(parseHeader))
}

/** One of them. The message does not show the value. */
export function parseHeader(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([a-z0-9-]+)=([\x20-\x7e]+)$/i.exec(text) ?? []
  if (!name || !value || name.toLowerCase().endsWith('-bin')) {
    throw new Error('must be name=value, comma separated')
  }
  return [name.toLowerCase(), value]
}
