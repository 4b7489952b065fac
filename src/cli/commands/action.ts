import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { Refused } from '../client.ts'
import { EXIT_FAILED } from '../failure.ts'
import { note, oneLine, print, printJson, printResult } from '../output.ts'
import { countingBar } from '../progress.ts'
import { type AskOperator, asOperator, type OperatorOptions, operatorCaller } from './operator.ts'
import { askAsUser, asUser, type UserOptions } from './platform.ts'

const NAME_CHARACTERS = 30
const FAULT_CHARACTERS = 200
const PER_PAGE = 1_000

type ListOptions = OperatorOptions & { json?: true }
/** As the operations interface gives it. */
type Listed = {
  actionUrl: string
  kind: string
  name: string
  addedCount: number
  fault?: string
}

/** Adds action install and uninstall for users; add, list, featured, refresh and remove for the operator. */
export function addActionCommands(program: Command, config: ClientConfig): void {
  const action = program
    .command('action')
    .description('Actions that clients offer on casts. Operator commands send ROOKERY_OPS_TOKEN.')
    .addHelpText('after', '\nExample:\n  rookery action add https://example.com/upvote')
  addUserCommands(action, config)
  addOperatorCommands(action, config)
}

function addUserCommands(action: Command, config: ClientConfig): void {
  for (const [name, method, summary, done] of [
    ['install', 'POST', 'install an action', 'has installed'],
    ['uninstall', 'DELETE', 'uninstall an action', 'has not installed'],
  ] as const) {
    asUser(action.command(name), config)
      .summary(summary)
      .argument('<url>', 'URL of its document')
      .addHelpText('after', `\nExample:\n  rookery action ${name} https://example.com/upvote`)
      .action(async (actionUrl: string, options: UserOptions & { json?: true }) => {
        const call = { method, path: '/fc/installed-actions', body: { actionUrl } }
        const { fid } = await askAsUser(options, call)
        printResult(options, { fid, actionUrl }, `fid ${fid} ${done} ${actionUrl}`)
      })
  }
}

function addOperatorCommands(action: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  const command = (name: string, summary: string, example: string) =>
    asOperator(action.command(name), config)
      .summary(`${summary} (operator)`)
      .addHelpText('after', `\nExample:\n  rookery action ${example}`)

  command(
    'add',
    'add the action whose document is at a URL to the directory',
    'add https://example.com/upvote',
  )
    .argument('<url>', 'URL of its document')
    .action(async (actionUrl: string, options: ListOptions) => {
      const call = { method: 'POST', path: '/platform/actions', body: { actionUrl } }
      const added: Listed = (await ask(options, call)).result.action
      printResult(options, added, lineOf(added))
    })
  command('list', 'list all actions', 'list')
    .option('--json', 'print each action as JSON')
    .action(async (options: ListOptions) => {
      for await (const one of allActions(ask, options)) {
        if (options.json) printJson(one)
        else print(lineOf(one))
      }
    })
  command(
    'featured',
    'set the list of recommended composer actions, in this order',
    'featured https://a.example/poll',
  )
    .argument('[urls...]', 'URLs of their documents; none empties the list')
    .action(async (actionUrls: string[], options: ListOptions) => {
      const call = { method: 'PUT', path: '/platform/featured-actions', body: { actionUrls } }
      await ask(options, call)
      const text = `${actionUrls.length} composer actions are recommended`
      printResult(options, { actionUrls }, text)
    })
  command('refresh', 'fetch the document of one action, or of all actions, again', 'refresh')
    .argument('[url]', 'URL of its document (default: all actions)')
    .action((actionUrl: string | undefined, options: ListOptions) =>
      actionUrl === undefined
        ? refreshAll(ask, options)
        : refresh(ask, options, actionUrl).then((one) => printResult(options, one, lineOf(one))),
    )
  command(
    'remove',
    'remove an action from the directory and from all users',
    'remove https://example.com/upvote',
  )
    .argument('<url>', 'URL of its document')
    .action(async (actionUrl: string, options: ListOptions) => {
      await ask(options, { method: 'DELETE', path: '/platform/actions', body: { actionUrl } })
      printResult(options, { actionUrl }, `${actionUrl} is removed`)
    })
}

async function refresh(
  ask: AskOperator,
  options: OperatorOptions,
  actionUrl: string,
): Promise<Listed> {
  const call = { method: 'POST', path: '/platform/refreshed-actions', body: { actionUrl } }
  return (await ask(options, call)).result.action
}

/** Refreshes one action after the other and names those whose documents are refused. */
async function refreshAll(ask: AskOperator, options: ListOptions): Promise<void> {
  const bar = countingBar('actions refreshed')
  let count = 0
  const failed: string[] = []
  try {
    for await (const { actionUrl } of allActions(ask, options)) {
      try {
        await refresh(ask, options, actionUrl)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        failed.push(error.message)
      }
      bar.update(++count)
    }
  } finally {
    bar.stop()
  }
  for (const message of failed) note(message)
  const refreshed = count - failed.length
  const text = `${refreshed} of ${count} actions are refreshed`
  printResult(options, { refreshed, failed }, text)
  if (failed.length > 0) process.exitCode = EXIT_FAILED
}

async function* allActions(ask: AskOperator, options: ListOptions): AsyncGenerator<Listed> {
  let cursor: string | undefined
  do {
    const after = cursor === undefined ? '' : `&cursor=${cursor}`
    const page = await ask(options, { path: `/platform/actions?limit=${PER_PAGE}${after}` })
    yield* page.result.actions
    cursor = page.next?.cursor
  } while (cursor !== undefined)
}

function lineOf({ actionUrl, kind, name, addedCount, fault }: Listed): string {
  const trouble = fault === undefined ? '' : ` (${oneLine(fault, FAULT_CHARACTERS)})`
  const users = addedCount === 1 ? 'user' : 'users'
  return `${kind} ${actionUrl} ${oneLine(name, NAME_CHARACTERS)}, ${addedCount} ${users}${trouble}`
}
