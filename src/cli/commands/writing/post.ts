import { type Command, Option } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import {
  buildMessage,
  type CastId,
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  linkRemove,
  type Origin,
  type ReactionTarget,
  reactionAdd,
  reactionRemove,
} from '../../../kernel/protocol/build.ts'
import { toHex, utf8Length } from '../../../kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../../../kernel/protocol/codec/envelope.ts'
import {
  MAX_CAST_BYTES,
  MAX_LONG_CAST_BYTES,
  MAX_TEN_K_CAST_BYTES,
} from '../../../kernel/protocol/kinds/cast-add.ts'
import { type MentionedText, namesIn, takeMentions } from '../../../kernel/protocol/mention-text.ts'
import type { SignedMessage } from '../../../kernel/protocol/message.ts'
import { MAX_MENTIONS } from '../../../kernel/protocol/sizes.ts'
import { networkTime } from '../../../kernel/protocol/time.ts'
import { CastType, ReactionType } from '../../../kernel/protocol/wire/message_pb.js'
import {
  ACT_AS,
  CAST_HELP,
  channelIdArgument,
  listOf,
  ownCastArgument,
  personArgument,
  targetArgument,
} from '../../arguments.ts'
import { getJson, postBytes } from '../../client.ts'
import { Failure } from '../../failure.ts'
import { printBytes, printResult } from '../../output.ts'
import {
  at,
  findNetworkNumber,
  networkNow,
  serverOption,
  type Target,
  withApp,
  withTarget,
} from '../network.ts'
import { findProof } from '../people.ts'
import { findSigner, type Signer } from '../signer.ts'

/** The longest text that any cast may have. */
const MAX_INPUT_BYTES = MAX_TEN_K_CAST_BYTES
/** Names of a text for which the hub is asked; the others stay text. */
const MAX_NAMES_LOOKED_UP = 50

export type PostOptions = Target & { fid?: number; json?: true; print?: true }

/** Adds cast, delete, react, like, follow and unfollow, which sign a message and submit it to the hub. */
export function addPostCommands(program: Command, config: ClientConfig): void {
  addCast(posting(program.command('cast'), config), config)
  posting(program.command('delete'), config)
    .summary('delete one of your casts')
    .argument('<cast>', CAST_HELP, ownCastArgument)
    .addHelpText('after', '\nExample:\n  rookery delete 0x1f8a... --fid 1')
    .action(deleteCast)
  addReact(posting(program.command('react'), config), config)
  withApp(posting(program.command('like'), config), config)
    .summary('like a cast or a URL; the same as react like')
    .argument('<target>', TARGET_HELP, targetArgument)
    .option('--undo', 'take the like back')
    .addHelpText('after', '\nExample:\n  rookery like 0x1f8a... --fid 2')
    .action((target: ReactionTarget, options: PostOptions & Undo) => react('like', target, options))
  posting(program.command('follow'), config)
    .summary('follow a user')
    .argument('<account>', 'fid or name to follow', personArgument)
    .option('--undo', 'unfollow')
    .addHelpText('after', '\nExample:\n  rookery follow bob --fid 1')
    .action(follow)
  posting(program.command('unfollow'), config)
    .summary('unfollow a user; the same as follow --undo')
    .argument('<account>', 'fid or name to unfollow', personArgument)
    .addHelpText('after', '\nExample:\n  rookery unfollow bob --fid 1')
    .action((target: number, options: PostOptions) => follow(target, { ...options, undo: true }))
}

/** Adds the options of commands that sign a message. */
export const posting = (command: Command, config: ClientConfig): Command =>
  withTarget(command, config)
    .option('--fid <fid>', ACT_AS, personArgument)
    .addOption(authOption(config))
    .option('--print', 'write the signed message to standard output instead of submitting it')
    .addOption(new Option('--json', "print the hub's answer as JSON").conflicts('print'))

function addCast(command: Command, config: ClientConfig): void {
  withApp(command, config)
    .summary('post a cast')
    .argument('<text>', "text; '-' reads it from standard input")
    .option('--reply-to <target>', `reply to ${TARGET_HELP}`, targetArgument)
    .addOption(new Option('--parent <target>', 'the same').argParser(targetArgument).hideHelp())
    .option('--channel <id>', 'post in a channel', channelIdArgument)
    .option('--embed <target>', 'embed a URL or a cast; may be repeated', listOf(targetArgument))
    .addOption(
      serverOption('--platform <url>', 'address of the client platform', config.platformUrl),
    )
    .option('--no-mentions', 'keep @names as text')
    .addHelpText(
      'after',
      '\nEach @name that an account has becomes a mention.\n\nExamples:\n' +
        '  rookery cast "Hello @bob" --fid 1\n' +
        '  rookery cast "Well said" --reply-to bob/0x1f8a... --embed https://example.com\n' +
        '  echo "From a pipe" | rookery cast - --channel birds',
    )
    .action(cast)
}

function addReact(command: Command, config: ClientConfig): void {
  withApp(command, config)
    .summary('like or recast a cast or a URL')
    .addArgument(command.createArgument('<kind>', 'kind of reaction').choices(['like', 'recast']))
    .argument('<target>', TARGET_HELP, targetArgument)
    .option('--undo', 'remove the reaction')
    .addHelpText('after', '\nExample:\n  rookery react like bob/0x1f8a... --fid 1')
    .action(react)
}

const TARGET_HELP = 'a cast (its hash, a link to its page, or <fid>/<0x hash>) or a URL'

/** Credentials for submits. They are read from the environment, or given. */
export const authOption = ({ auth }: ClientConfig): Option =>
  new Option(
    '--auth <user:password>',
    'credentials for submits, when the hub requires them',
  ).default(auth, 'first pair of ROOKERY_RPC_AUTH')

type Undo = { undo?: true }

async function react(kind: 'like' | 'recast', target: ReactionTarget, options: PostOptions & Undo) {
  if (!options.undo) await checkTarget(options, target)
  const build = options.undo ? reactionRemove : reactionAdd
  const what = options.undo ? `un-${kind}` : kind
  await post(options, what, (origin) => build(origin, REACTIONS[kind], target))
}

async function follow(target: number, options: PostOptions & Undo): Promise<void> {
  const { fid } = await findSigner(options, options.fid)
  if (fid === target) throw new Failure(`fid ${fid} cannot follow itself`)
  if (!options.undo) await checkRegistered(options, target)
  const build = options.undo ? linkRemove : linkAdd
  const what = options.undo ? 'unfollow' : 'follow'
  await post(options, what, (origin) => build(origin, 'follow', target))
}

async function deleteCast(cast: Partial<CastId> & { hash: Uint8Array }, options: PostOptions) {
  const { fid } = await findSigner(options, options.fid)
  if (cast.fid !== undefined && cast.fid !== fid) {
    throw new Failure(`fid ${fid} cannot delete a cast of fid ${cast.fid}; choose with --fid`)
  }
  await checkTarget(options, { fid, hash: cast.hash })
  await post(options, 'deletion', (origin) => castRemove(origin, cast.hash))
}

/** Throws a Failure unless the hub has the cast. A URL is not checked. */
async function checkTarget({ hub }: Target, target: CastTarget): Promise<void> {
  if ('url' in target) return
  const hash = toHex(target.hash)
  const found = await getJson(at(hub, `/v1/castById?fid=${target.fid}&hash=${hash}`))
  if (!found) throw new Failure(`${hub} has no cast ${target.fid}/${hash}`)
}

/** Throws a Failure unless the hub knows the registration of the fid. */
export async function checkRegistered({ hub }: Target, fid: number): Promise<void> {
  const path = `/v1/onChainEventsByFid?fid=${fid}&event_type=EVENT_TYPE_ID_REGISTER&pageSize=1`
  const events = (await getJson(at(hub, path)))?.events ?? []
  if (events.length === 0) throw new Failure(`fid ${fid} is not registered on ${hub}`)
}

const REACTIONS = { like: ReactionType.LIKE, recast: ReactionType.RECAST } as const

type CastTarget = CastId | { url: string }
type CastOptions = Target & {
  readonly replyTo?: CastTarget
  readonly parent?: CastTarget
  readonly channel?: string
  readonly embed?: readonly CastTarget[]
  readonly platform: string
  readonly mentions: boolean
}

async function cast(given: string, options: CastOptions & PostOptions): Promise<void> {
  const text = given === '-' ? await standardInput() : given
  await post(options, 'cast', await castOf(text, options))
}

/** What the cast says once its author and time are known, with embeds that are known only then. */
export async function castOf(
  text: string,
  options: CastOptions,
): Promise<(origin: Origin, more?: readonly CastTarget[]) => DataInit> {
  const { replyTo, parent = replyTo, channel, embed = [] } = options
  if (parent && channel !== undefined) {
    throw new Failure('a reply is in the channel of its parent: leave out --channel')
  }
  const channelUrl = channel === undefined ? undefined : await urlOfChannel(options, channel)
  const target = channelUrl === undefined ? parent : { url: channelUrl }
  for (const one of [...(target ? [target] : []), ...embed]) await checkTarget(options, one)
  const mentioned = options.mentions ? await withMentions(options, text) : { text }
  return (origin, more = []) => castAdd(origin, castBody(mentioned, target, [...embed, ...more]))
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_INPUT_BYTES) throw new Failure(`a cast has at most ${MAX_INPUT_BYTES} bytes`)
  }
  return Buffer.concat(chunks).toString('utf8').replace(/\n$/, '')
}

async function urlOfChannel({ platform }: CastOptions, id: string): Promise<string> {
  const found = await getJson(at(platform, `/v1/channel?channelId=${id}`))
  const url = found?.result.channel.url
  if (url === undefined) throw new Failure(`${platform} has no channel "${id}"`)
  return url
}

async function withMentions({ hub }: Target, text: string): Promise<MentionedText> {
  // A long text may hold thousands of names; each costs a request.
  const names = namesIn(text).slice(0, MAX_NAMES_LOOKED_UP)
  const fids = new Map<string, number>()
  for (const name of names) {
    const proof = await findProof(hub, name)
    if (proof) fids.set(name, proof.fid)
    if (fids.size === MAX_MENTIONS) break
  }
  return takeMentions(text, (name) => fids.get(name))
}

function castBody(
  { text, mentions = [], mentionsPositions = [] }: Partial<MentionedText> & { text: string },
  parent: CastTarget | undefined,
  embeds: readonly CastTarget[],
) {
  return {
    text,
    mentions: mentions.map(BigInt),
    mentionsPositions: [...mentionsPositions],
    type: typeOf(text),
    ...(parent && {
      parent:
        'url' in parent
          ? ({ case: 'parentUrl', value: parent.url } as const)
          : ({ case: 'parentCastId', value: castId(parent) } as const),
    }),
    embeds: embeds.map((target) => ({
      embed:
        'url' in target
          ? ({ case: 'url', value: target.url } as const)
          : ({ case: 'castId', value: castId(target) } as const),
    })),
  }
}

function typeOf(text: string): CastType {
  const bytes = utf8Length(text)
  if (bytes <= MAX_CAST_BYTES) return CastType.CAST
  return bytes <= MAX_LONG_CAST_BYTES ? CastType.LONG_CAST : CastType.TEN_K_CAST
}

const castId = ({ fid, hash }: CastId) => ({ fid: BigInt(fid), hash })

export async function post(
  options: PostOptions,
  what: string,
  init: (origin: Origin) => DataInit,
): Promise<void> {
  if (options.print && process.stdout.isTTY) {
    throw new Failure(
      '--print writes binary data: redirect it to a file or to a program (| curl ...)',
    )
  }
  const signer = await findSigner(options, options.fid)
  if (options.print) return printBytes(encodeEnvelope(await sign(options, signer, init)))
  const { message, answer } = await submitMessage(options, signer, init)
  const text = `${what} by fid ${signer.fid} is stored: ${signer.fid}/${toHex(message.hash)}`
  printResult(options, answer, text)
}

/** Signs a message and submits it to the hub. */
export async function submitMessage(
  target: Target,
  signer: Signer,
  init: (origin: Origin) => DataInit,
) {
  const message = await sign(target, signer, init)
  const url = at(target.hub, '/v1/submitMessage')
  return { message, answer: await postBytes(url, encodeEnvelope(message), target.auth) }
}

/** Throws a Failure unless the hub finds the message valid. Nothing is stored. */
export async function checkMessage(
  target: Target,
  signer: Signer,
  init: (origin: Origin) => DataInit,
): Promise<void> {
  const url = at(target.hub, '/v1/validateMessage')
  const message = encodeEnvelope(await sign(target, signer, init))
  const { valid, reason } = await postBytes(url, message, target.auth)
  if (!valid) throw new Failure(`${target.hub} would refuse the cast: ${reason}`)
}

async function sign(
  target: Target,
  { fid, seed }: Signer,
  init: (origin: Origin) => DataInit,
): Promise<SignedMessage> {
  const network = await findNetworkNumber(target)
  const timestamp = networkTime(await networkNow(target))
  return buildMessage(init({ fid, timestamp, network }), seed)
}
