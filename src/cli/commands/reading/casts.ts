import type { Command } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import type { CastId } from '../../../kernel/protocol/build.ts'
import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import {
  ACT_AS,
  CAST_HELP,
  channelIdArgument,
  ownCastArgument,
  personArgument,
  wholeNumber,
} from '../../arguments.ts'
import { castLines } from '../../cast-lines.ts'
import { Failure } from '../../failure.ts'
import { note, print, printJson } from '../../output.ts'
import { findSigner } from '../signer.ts'
import { askApp as ask, MAX_LIMIT, type ReadOptions, readingApp } from './app.ts'

type TimelineOptions = ReadOptions & { readonly user?: number; readonly channel?: string }
// biome-ignore lint/suspicious/noExplicitAny: a cast as the app API gives it
type Cast = any

/** Adds timeline, show and thread, which read from the app API. */
export function addReadCommands(program: Command, config: ClientConfig): void {
  const reading = (name: string) => readingApp(program.command(name), config)
  reading('timeline')
    .summary('print the newest casts of the accounts that an account follows')
    .option('--fid <fid>', ACT_AS, personArgument)
    .option('--user <account>', 'the casts of this account instead', personArgument)
    .option('--channel <id>', 'the casts of this channel instead', channelIdArgument)
    .option('--limit <n>', `how many, up to ${MAX_LIMIT}`, wholeNumber(1, MAX_LIMIT), 25)
    .addHelpText('after', '\nExample:\n  rookery timeline --channel birds')
    .action(timeline)
  reading('show')
    .summary('print a cast with its counts')
    .argument('<cast>', CAST_HELP, ownCastArgument)
    .addHelpText('after', '\nExample:\n  rookery show 0x1f8a...')
    .action(show)
  reading('thread')
    .summary('print a cast with the casts that it answers and its replies')
    .argument('<cast>', CAST_HELP, ownCastArgument)
    .option('--limit <n>', `replies of each cast, up to 50`, wholeNumber(1, MAX_LIMIT), 20)
    .addHelpText('after', '\nExample:\n  rookery thread 0x1f8a...')
    .action(thread)
}

async function timeline(options: TimelineOptions): Promise<void> {
  const { channel, user, limit } = options
  if (channel !== undefined && user !== undefined) {
    throw new Failure('give --user or --channel, not both')
  }
  const { casts } = await ask(options, await feedOf(options), limit)
  for (const cast of casts) printCast(options, cast)
  if (casts.length === 0 && !options.json) note('There are no casts yet.')
}

async function feedOf(options: TimelineOptions): Promise<string> {
  const { channel, user } = options
  if (channel !== undefined) return `/feed/channels?channel_ids=${channel}&members_only=false`
  if (user !== undefined) return `/feed/user/casts?fid=${user}`
  const { fid } = await findSigner(options, options.fid)
  return `/feed/following?fid=${fid}`
}

async function show({ hash }: Pick<CastId, 'hash'>, options: ReadOptions): Promise<void> {
  const { cast } = await ask(options, `/cast?type=hash&identifier=${toHex(hash)}`)
  printCast(options, cast)
}

async function thread({ hash }: Pick<CastId, 'hash'>, options: ReadOptions): Promise<void> {
  const path = `/cast/conversation?type=hash&identifier=${toHex(hash)}&include_chronological_parent_casts=true`
  const { conversation } = await ask(options, path, Math.min(options.limit, 50))
  if (options.json) return printJson(conversation)
  const { cast, chronological_parent_casts: parents = [] } = conversation
  for (const parent of parents) printCast(options, parent)
  printReplies(options, cast, 0)
}

function printReplies(options: ReadOptions, cast: Cast, depth: number): void {
  printCast(options, cast, depth)
  for (const reply of cast.direct_replies ?? []) printReplies(options, reply, depth + 1)
}

function printCast(options: ReadOptions, cast: Cast, depth = 0): void {
  if (options.json) printJson(cast)
  else for (const line of castLines(cast)) print(`${'    '.repeat(depth)}${line}`)
}
