import type { Command } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import { userDataAdd } from '../../../kernel/protocol/build.ts'
import { UserDataType } from '../../../kernel/protocol/wire/message_pb.js'
import { ACT_AS, personArgument } from '../../arguments.ts'
import { getJson } from '../../client.ts'
import { Failure } from '../../failure.ts'
import { note, oneLine, print, printJson } from '../../output.ts'
import { at, type Target, withTarget } from '../network.ts'
import { findSigner } from '../signer.ts'
import { authOption, submitMessage } from './post.ts'

const VALUE_CHARACTERS = 300

/** The entries of a profile: option, its type on the wire, what it holds. */
const ENTRIES = [
  ['username', UserDataType.USER_DATA_TYPE_USERNAME, 'name of yours to show as username'],
  ['display', UserDataType.USER_DATA_TYPE_DISPLAY, 'display name'],
  ['bio', UserDataType.USER_DATA_TYPE_BIO, 'a few words about you'],
  ['pfp', UserDataType.USER_DATA_TYPE_PFP, 'URL of your picture'],
  ['banner', UserDataType.USER_DATA_TYPE_BANNER, 'URL of your banner (pro accounts)'],
  ['url', UserDataType.USER_DATA_TYPE_URL, 'URL of your site'],
  ['location', UserDataType.USER_DATA_TYPE_LOCATION, 'geo:<latitude>,<longitude>'],
  ['x', UserDataType.USER_DATA_TYPE_TWITTER, 'your handle on X'],
  ['github', UserDataType.USER_DATA_TYPE_GITHUB, 'your name on GitHub'],
] as const

type Entry = (typeof ENTRIES)[number][0]
type ProfileOptions = Target & { readonly fid?: number; readonly json?: true }
type SetOptions = ProfileOptions & { readonly [E in Entry]?: string }

/** Adds profile set and show. */
export function addProfileCommands(program: Command, config: ClientConfig): void {
  const profile = program
    .command('profile')
    .description('What an account says about itself.')
    .addHelpText('after', '\nExample:\n  rookery profile set --display "Ada" --bio "I count"')

  const set = withTarget(profile.command('set'), config)
    .summary('set entries of your profile; an empty value removes an entry')
    .option('--fid <fid>', ACT_AS, personArgument)
    .addOption(authOption(config))
  for (const [entry, , what] of ENTRIES) set.option(`--${entry} <value>`, what)
  set
    .addHelpText('after', '\nExample:\n  rookery profile set --display "Ada" --bio "I count"')
    .action(setProfile)

  withTarget(profile.command('show'), config)
    .summary('print the profile of an account (default: yours)')
    .argument('[account]', 'fid or name', personArgument)
    .addHelpText('after', '\nExample:\n  rookery profile show bob')
    .action(showProfile)
}

async function setProfile(options: SetOptions): Promise<void> {
  const given = ENTRIES.filter(([entry]) => options[entry] !== undefined)
  if (given.length === 0) {
    throw new Failure(`give at least one of ${ENTRIES.map(([entry]) => `--${entry}`).join(', ')}`)
  }
  const signer = await findSigner(options, options.fid)
  for (const [entry, type] of given) {
    await submitMessage(options, signer, (origin) => userDataAdd(origin, type, options[entry]!))
    if (!options.json) note(`${entry} is set`)
  }
  await showProfile(signer.fid, options)
}

async function showProfile(given: number | undefined, options: ProfileOptions): Promise<void> {
  const fid = given ?? (await findSigner(options, options.fid)).fid
  const profile = await profileOf(options, fid)
  if (options.json) return printJson({ fid, ...profile })
  print(`fid ${fid}`)
  for (const [entry, value] of Object.entries(profile)) {
    print(`${entry.padEnd(8)}  ${oneLine(value, VALUE_CHARACTERS)}`)
  }
}

/** The entries that an account has set. */
export async function profileOf({ hub }: Target, fid: number): Promise<{ [E in Entry]?: string }> {
  const { messages } = await getJson(at(hub, `/v1/userDataByFid?fid=${fid}`))
  const values = new Map<string, string>(
    // biome-ignore lint/suspicious/noExplicitAny: a message as JSON
    messages.map(({ data }: any) => [data.userDataBody.type, data.userDataBody.value]),
  )
  return Object.fromEntries(
    ENTRIES.flatMap(([entry, type]) => {
      const value = values.get(`USER_DATA_TYPE_${NAMES[type]}`)
      return value ? [[entry, value]] : []
    }),
  )
}

const NAMES = Object.fromEntries(
  ENTRIES.map(([, type]) => [type, UserDataType[type].replace('USER_DATA_TYPE_', '')]),
)
