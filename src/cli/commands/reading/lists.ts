import type { Command } from 'commander'
import type { AnswerOf } from '../../../client/client.ts'
import type { AppOperations } from '../../../client/generated/app.ts'
import type { ClientConfig } from '../../../config.ts'
import { NOTICE_KINDS } from '../../../kernel/storage/views/notice-kinds.ts'
import { ACT_AS, personArgument, wholeNumber } from '../../arguments.ts'
import { castLines } from '../../cast-lines.ts'
import { note, oneLine, print, printJson } from '../../output.ts'
import { findSigner } from '../signer.ts'
import { askApp, MAX_LIMIT, type ReadOptions, readingApp } from './app.ts'

const NAMES_SHOWN = 3
const NAME_CHARACTERS = 32
const TEXT_CHARACTERS = 80

type Notice = AnswerOf<AppOperations['get'], '/v2/farcaster/notifications'>['notifications'][number]

/** Adds search and notifications, which read from the app API. */
export function addListCommands(program: Command, config: ClientConfig): void {
  readingApp(program.command('search'), config)
    .summary('print the newest casts with words')
    .argument('<words>', 'words, "phrases" and filters: from:, in:, since:, until:, has:, #tag')
    .option('--user <account>', 'only casts of this account', personArgument)
    .option('--limit <n>', `how many, up to ${MAX_LIMIT}`, wholeNumber(1, MAX_LIMIT), 25)
    .addHelpText('after', '\nExample:\n  rookery search "I am new here"')
    .action(search)
  readingApp(program.command('notifications'), config)
    .summary('print who followed, liked, recasted, mentioned, quoted or answered an account')
    .option('--fid <fid>', ACT_AS, personArgument)
    .option('--limit <n>', 'how many, up to 25', wholeNumber(1, 25), 15)
    .addHelpText('after', '\nExample:\n  rookery notifications --fid 1')
    .action(notifications)
}

async function search(words: string, options: ReadOptions & { user?: number }): Promise<void> {
  const author = options.user === undefined ? '' : `&author_fid=${options.user}`
  const path = `/cast/search?q=${encodeURIComponent(words)}${author}`
  const { casts } = (await askApp(options, path, options.limit)).result
  for (const cast of casts) {
    if (options.json) printJson(cast)
    else for (const line of castLines(cast)) print(line)
  }
  if (casts.length === 0 && !options.json) note('No cast has these words.')
}

async function notifications(options: ReadOptions): Promise<void> {
  const { fid } = await findSigner(options, options.fid)
  const answer = await askApp(options, `/notifications?fid=${fid}`, options.limit)
  for (const one of answer.notifications as Notice[]) {
    if (options.json) printJson(one)
    else print(lineOf(one))
  }
  if (answer.notifications.length === 0 && !options.json) note('There are no notifications yet.')
}

function lineOf({ type, most_recent_timestamp: at, seen, count = 0, ...of }: Notice): string {
  const people = [
    ...(of.follows ?? []).map(({ user }) => user),
    ...(of.reactions ?? []).map(({ user }) => user),
    ...(of.cast && count === 0 ? [of.cast.author] : []),
  ]
  const names = people
    .slice(0, NAMES_SHOWN)
    .map(({ username }) => oneLine(username, NAME_CHARACTERS))
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  const cast = of.cast
    ? `  ${of.cast.author.fid}/${of.cast.hash}  ${oneLine(of.cast.text, TEXT_CHARACTERS)}`
    : ''
  return `${seen ? ' ' : '*'} ${at}  ${names.join(', ')}${more} ${NOTICE_KINDS[type].lineWords}${cast}`
}
