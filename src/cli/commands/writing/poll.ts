import { type Command, Option } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { DAY_SECONDS } from '../../../kernel/protocol/time.ts'
import { channelIdArgument, durationArgument, listOf } from '../../arguments.ts'
import { Calls } from '../../calls.ts'
import { printResult } from '../../output.ts'
import { asUser, tokenOf, type UserOptions } from '../platform.ts'
import { findSigner } from '../signer.ts'
import { authOption, castOf, checkMessage, submitMessage } from './post.ts'

/** Adds poll, which makes a poll on the client platform and a cast with it. */
export function addPollCommand(program: Command, config: ClientConfig): void {
  asUser(program.command('poll'), config)
    .summary('ask a question with a few answers, in a cast')
    .description(
      'Who sees the cast can vote, once, until the end; a later vote takes the place of an earlier one. Others see the ' +
        'result, and not who chose what.',
    )
    .argument('<question>', 'what is asked')
    .requiredOption('--answer <text>', 'one of two to six answers; to be repeated', listOf(String))
    .addOption(
      new Option('--ends <duration>', 'how long one can vote: 30m, 12h, 3d')
        .argParser(durationArgument)
        .default(DAY_SECONDS, '1d'),
    )
    .option('--text <text>', 'text of the cast (default: the question)')
    .option('--channel <id>', 'post in a channel', channelIdArgument)
    .addOption(authOption(config))
    .addHelpText(
      'after',
      '\nExample:\n  rookery poll "Which day?" --answer Saturday --answer Sunday --ends 3d --fid 1',
    )
    .action(poll)
}

type PollOptions = UserOptions & {
  readonly answer: readonly string[]
  readonly ends: number
  readonly text?: string
  readonly channel?: string
}

async function poll(question: string, options: PollOptions): Promise<void> {
  const { answer, ends, text = question } = options
  const signer = await findSigner(options, options.fid)
  const credentials = { bearer: await tokenOf(options, signer) }
  // Before there is a poll, which a cast that cannot be made would leave behind.
  const cast = await castOf(text, { ...options, mentions: true })
  await checkMessage(options, signer, (origin) => cast(origin, [{ url: options.platform }]))
  const calls = new Calls<'platform'>({ url: options.platform, credentials })
  const asked = { question, answers: [...answer], seconds: ends }
  const { result } = await calls.ask('POST /fc/polls', asked)
  const { url } = result.poll
  const { message } = await submitMessage(options, signer, (origin) => cast(origin, [{ url }]))
  const hash = toHex(message.hash)
  printResult(
    options,
    { poll: result.poll, cast: { fid: signer.fid, hash } },
    `poll by fid ${signer.fid} is stored: ${signer.fid}/${hash}\n${url}`,
  )
}
