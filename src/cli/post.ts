import { type Command, Option } from 'commander'
import type { ClientConfig } from '../config.ts'
import {
  buildMessage,
  type CastId,
  castAdd,
  type DataInit,
  linkAdd,
  linkRemove,
  type Origin,
  type ReactionTarget,
  reactionAdd,
  reactionRemove,
} from '../protocol/build.ts'
import { toHex, utf8Length } from '../protocol/bytes.ts'
import { encodeEnvelope } from '../protocol/envelope.ts'
import { MAX_CAST_BYTES } from '../protocol/kinds/cast-add.ts'
import type { SignedMessage } from '../protocol/message.ts'
import { networkTime } from '../protocol/time.ts'
import { CastType, ReactionType } from '../protocol/wire/message_pb.js'
import { ACT_AS, fidArgument, listOf, targetArgument } from './arguments.ts'
import { postBytes } from './client.ts'
import { Failure } from './failure.ts'
import { at, findNetworkNumber, networkNow, type Target, withTarget } from './network.ts'
import { print, printBytes, printJson } from './output.ts'
import { findSigner, type Signer } from './signer.ts'

type PostOptions = Target & { fid?: number; json?: true; print?: true }

/** Adds cast, react and follow, which sign a message and submit it to the hub. */
export function addPostCommands(program: Command, config: ClientConfig): void {
  const posting = (command: Command) =>
    withTarget(command, config)
      .option('--fid <fid>', ACT_AS, fidArgument)
      .addOption(
        new Option(
          '--auth <user:password>',
          'credentials for submits, when the hub requires them',
        ).default(config.auth, 'first pair of ROOKERY_RPC_AUTH'),
      )
      .option('--print', 'write the signed message to standard output instead of submitting it')
      .addOption(new Option('--json', "print the hub's answer as JSON").conflicts('print'))

  posting(program.command('cast').summary('post a cast').argument('<text>', 'text of the cast'))
    .option('--parent <target>', 'reply to a cast (<fid>/<0x hash>) or to a URL', targetArgument)
    .option('--embed <target>', 'embed a URL or a cast; may be repeated', listOf(targetArgument))
    .addHelpText(
      'after',
      '\nExample:\n  rookery cast "Hello" --fid 1\n' +
        '  rookery cast "Well said" --parent 2/0x1f8a... --embed https://example.com',
    )
    .action(async (text: string, options: PostOptions & CastOptions) => {
      await post(options, 'cast', (origin) => castAdd(origin, castBody(text, options)))
    })

  posting(
    program
      .command('react')
      .summary('like or recast a cast or a URL')
      .addArgument(program.createArgument('<kind>', 'kind of reaction').choices(['like', 'recast']))
      .argument('<target>', 'a cast as <fid>/<0x hash>, or a URL', targetArgument),
  )
    .option('--undo', 'remove the reaction')
    .addHelpText('after', '\nExample:\n  rookery react like 2/0x1f8a... --fid 1')
    .action(
      async (
        kind: 'like' | 'recast',
        target: ReactionTarget,
        options: PostOptions & { undo?: true },
      ) => {
        const build = options.undo ? reactionRemove : reactionAdd
        const what = options.undo ? `un-${kind}` : kind
        await post(options, what, (origin) => build(origin, REACTIONS[kind], target))
      },
    )

  posting(
    program
      .command('follow')
      .summary('follow a user')
      .argument('<target-fid>', 'fid to follow', fidArgument),
  )
    .option('--undo', 'unfollow')
    .addHelpText('after', '\nExample:\n  rookery follow 2 --fid 1')
    .action(async (targetFid: number, options: PostOptions & { undo?: true }) => {
      const build = options.undo ? linkRemove : linkAdd
      const what = options.undo ? 'unfollow' : 'follow'
      await post(options, what, (origin) => build(origin, 'follow', targetFid))
    })
}

const REACTIONS = { like: ReactionType.LIKE, recast: ReactionType.RECAST } as const

type CastOptions = { parent?: CastTarget; embed?: CastTarget[] }
type CastTarget = CastId | { url: string }

function castBody(text: string, { parent, embed = [] }: CastOptions) {
  return {
    text,
    type: utf8Length(text) > MAX_CAST_BYTES ? CastType.LONG_CAST : CastType.CAST,
    ...(parent && {
      parent:
        'url' in parent
          ? ({ case: 'parentUrl', value: parent.url } as const)
          : ({ case: 'parentCastId', value: castId(parent) } as const),
    }),
    embeds: embed.map((target) => ({
      embed:
        'url' in target
          ? ({ case: 'url', value: target.url } as const)
          : ({ case: 'castId', value: castId(target) } as const),
    })),
  }
}

const castId = ({ fid, hash }: CastId) => ({ fid: BigInt(fid), hash })

async function post(
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
  if (options.json) printJson(answer)
  else print(`${what} by fid ${signer.fid} is stored: ${signer.fid}/${toHex(message.hash)}`)
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

async function sign(
  target: Target,
  { fid, seed }: Signer,
  init: (origin: Origin) => DataInit,
): Promise<SignedMessage> {
  const network = await findNetworkNumber(target)
  const timestamp = networkTime(await networkNow(target))
  return buildMessage(init({ fid, timestamp, network }), seed)
}
