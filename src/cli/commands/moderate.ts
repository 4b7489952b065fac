import { userInfo } from 'node:os'
import { type Command, Option } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { CAST_HELP, castHashArgument, fidArgument, personArgument } from '../arguments.ts'
import { Failure } from '../failure.ts'
import { note, oneLine, print, printJson } from '../output.ts'
import { type AskOperator, asOperator, type OperatorOptions, operatorCaller } from './operator.ts'

const REASON_CHARACTERS = 80
const SUCCESS = { success: true }

type ModerateOptions = OperatorOptions & { json?: true }
type DecideOptions = ModerateOptions & { reason: string; actor: string }

/** Adds moderate suspend, restore, hide, unhide, take-name, erase, export, reports, resolve and log. */
export function addModerateCommands(program: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  const moderate = program
    .command('moderate')
    .description('Moderation, for the operator. Sends ROOKERY_OPS_TOKEN when it is set.')
    .addHelpText('after', '\nExample:\n  rookery moderate suspend 7 --reason "spam"')
  const command = (name: string, summary: string, example: string) =>
    asOperator(moderate.command(name), config)
      .summary(summary)
      .option('--json', 'print the result as JSON')
      .addHelpText('after', `\nExample:\n  rookery moderate ${example}`)
  const decision = (name: string, summary: string, example: string) =>
    command(name, summary, `${example} --reason "spam"`)
      .requiredOption('--reason <text>', 'why; the log shows it')
      .option('--actor <name>', 'who decided; the log shows it', userInfo().username)
  const decide = async (
    path: string,
    { json, reason, actor, ...options }: DecideOptions,
    // biome-ignore lint/suspicious/noExplicitAny: JSON of the operations interface
    words: (result: any) => string,
  ) => {
    const result = await ask(options, {
      method: 'POST',
      path: `/moderation${path}`,
      body: { reason, actor },
    })
    if (json) printJson(result ?? SUCCESS)
    else print(words(result))
  }

  const onAccount = (
    name: string,
    summary: string,
    words: (fid: number, wasSuspended: boolean) => string,
  ) =>
    decision(name, summary, `${name} 7`)
      .argument('<fid>', 'fid or name of the account', personArgument)
      .action(async (fid: number, options: DecideOptions) => {
        const { suspended } = await ask(options, { path: `/moderation/accounts/${fid}` })
        await decide(`/accounts/${fid}/${name}`, options, () => words(fid, suspended))
      })
  onAccount('suspend', 'hide an account and refuse its new messages', (fid, was) =>
    was ? `fid ${fid} was suspended already` : `fid ${fid} is suspended`,
  )
  onAccount('restore', 'end the suspension of an account', (fid, was) =>
    was
      ? `fid ${fid} is restored: its suspension is over`
      : `fid ${fid} was not suspended: there is nothing to restore`,
  )
  decision('erase', 'erase all messages of an account for good', 'erase 7 --yes')
    .argument('<fid>', 'fid or name of the account', personArgument)
    .option('--yes', 'confirm: this cannot be undone')
    .action((fid: number, { yes, ...options }: DecideOptions & { yes?: true }) => {
      if (!yes) throw new Failure('erasing cannot be undone; add --yes to confirm')
      const words = `the messages of fid ${fid} are hidden now and are being erased`
      return decide(`/accounts/${fid}/erase`, options, () => words)
    })
  for (const [name, summary, result] of [
    ['hide', 'hide one cast', 'is hidden'],
    ['unhide', 'show a hidden cast again', 'can be read'],
  ] as const) {
    decision(name, summary, `${name} 0x5f6c…`)
      .argument('<cast>', CAST_HELP, castHashArgument)
      .action((hash: string, options: DecideOptions) =>
        decide(
          `/casts/${encodeURIComponent(hash)}/${name}`,
          options,
          () => `cast ${hash} ${result}`,
        ),
      )
  }
  decision('take-name', 'take a name back from the fid that holds it', 'take-name alice')
    .argument('<name>', 'name of the registry')
    .action((name: string, options: DecideOptions) =>
      decide(
        `/names/${encodeURIComponent(name)}/take`,
        options,
        ({ fid }) => `${name} was taken from fid ${fid}`,
      ),
    )
  decision('resolve', 'resolve a report', 'resolve 12')
    .argument('<id>', 'id of the report', fidArgument)
    .action((id: number, options: DecideOptions) =>
      decide(`/reports/${id}/resolve`, options, () => `report ${id} is resolved`),
    )
  command('reports', 'list the reports of users', 'reports')
    .addOption(new Option('--state <state>', 'which ones').choices(['open', 'resolved']))
    .action(async ({ state = 'open', ...options }: ModerateOptions & { state?: string }) => {
      for await (const report of pagesOf(ask, options, `/reports?state=${state}`, 'reports')) {
        if (options.json) printJson(report)
        else print(reportLine(report))
      }
    })
  command('log', 'list who decided what and why, the newest first', 'log --fid 7')
    .option('--fid <fid>', 'only of this account', personArgument)
    .action(async ({ fid, ...options }: ModerateOptions & { fid?: number }) => {
      const path = fid === undefined ? '/log?' : `/log?fid=${fid}`
      for await (const entry of pagesOf(ask, options, path, 'entries')) {
        if (options.json) printJson(entry)
        else print(entryLine(entry))
      }
    })
  command('export', 'print all messages of an account, hidden ones too', 'export 7 > messages.txt')
    .description('Prints each message in base64, one a line; with --json as a JSON string.')
    .argument('<fid>', 'fid or name of the account', personArgument)
    .action((fid: number, options: ModerateOptions) => exportMessages(ask, fid, options))
}

async function exportMessages(ask: AskOperator, fid: number, options: ModerateOptions) {
  let count = 0
  for (let token: string | undefined; token !== ''; ) {
    const query = token === undefined ? '' : `?pageToken=${encodeURIComponent(token)}`
    const path = `/moderation/accounts/${fid}/messages${query}`
    const { messages, nextPageToken } = await ask(options, { path })
    for (const message of messages) {
      if (options.json) printJson(message)
      else print(message)
    }
    count += messages.length
    token = nextPageToken
  }
  note(`${count} messages of fid ${fid}`)
}

async function* pagesOf(
  ask: AskOperator,
  options: OperatorOptions,
  path: string,
  key: string,
  // biome-ignore lint/suspicious/noExplicitAny: JSON of the operations interface
): AsyncGenerator<any> {
  let cursor: string | undefined
  do {
    const next = cursor ? `&cursor=${cursor}` : ''
    const page = await ask(options, { path: `/moderation${path}${next}` })
    yield* page.result[key]
    cursor = page.next?.cursor
  } while (cursor !== undefined)
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the operations interface
function reportLine({ id, reporterFid, fid, castHash, reason, createdAt, resolution }: any) {
  const subject = castHash ? `cast ${castHash} of fid ${fid}` : `fid ${fid}`
  const end = resolution ? ` (${oneLine(resolution, REASON_CHARACTERS)})` : ''
  return `${id} ${timeOf(createdAt)} fid ${reporterFid} reports ${subject}: ${oneLine(reason, REASON_CHARACTERS)}${end}`
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the operations interface
function entryLine({ at, actor, action, fid, castHash, name, reason }: any) {
  const subject = [fid && `fid ${fid}`, castHash && `cast ${castHash}`, name].filter(Boolean)
  return `${timeOf(at)} ${oneLine(actor, REASON_CHARACTERS)}: ${action} ${subject.join(', ')}: ${oneLine(reason, REASON_CHARACTERS)}`
}

const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')
