import type { Command } from 'commander'
import type { ClientConfig } from '../config.ts'
import { Refused } from './client.ts'
import { EXIT_FAILED } from './failure.ts'
import { type AskOperator, asOperator, type OperatorOptions, operatorCaller } from './operator.ts'
import { note, oneLine, print, printJson } from './output.ts'
import { askAsUser, asUser, type UserOptions } from './platform.ts'
import { countingBar } from './progress.ts'

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

/** action install and uninstall for users; add, list, featured, refresh and remove for the operator. */
export function addActionCommands(program: Command, config: ClientConfig): void {
  const action = program
    .command('action')
    .description('Actions that clients offer. ROOKERY_OPS_TOKEN is sent to the operator calls.')
    .addHelpText('after', '\nExample:\n  rookery action add https://example.com/upvote')
  addUserCommands(action, config)
  addOperatorCommands(action, config)
}

function addUserCommands(action: Command, config: ClientConfig): void {
  for (const [name, method, summary, done] of [
    ['install', 'POST', 'take an action', 'has'],
    ['uninstall', 'DELETE', 'give an action up', 'does not have'],
  ] as const) {
    asUser(action.command(name), config)
      .summary(summary)
      .argument('<url>', 'where its document is')
      .addHelpText('after', `\nExample:\n  rookery action ${name} https://example.com/upvote`)
      .action(async (actionUrl: string, options: UserOptions) => {
        const call = { method, path: '/fc/installed-actions', body: { actionUrl } }
        const { fid } = await askAsUser(options, call)
        print(`fid ${fid} ${done} ${actionUrl}`)
      })
  }
}

function addOperatorCommands(action: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  const command = (name: string, summary: string, example: string) =>
    asOperator(action.command(name), config)
      .summary(`${summary} (operator)`)
      .addHelpText('after', `\nExample:\n  rookery action ${example}`)

  command('add', 'list the action whose document is at a URL', 'add https://example.com/upvote')
    .argument('<url>', 'where its document is')
    .action(async (actionUrl: string, options: OperatorOptions) => {
      const call = { method: 'POST', path: '/platform/actions', body: { actionUrl } }
      print(lineOf((await ask(options, call)).result.action))
    })
  command('list', 'print all actions', 'list')
    .option('--json', 'print each action as the server gives it')
    .action(async (options: ListOptions) => {
      for await (const one of allActions(ask, options)) {
        if (options.json) printJson(one)
        else print(lineOf(one))
      }
    })
  command(
    'featured',
    'recommend just these composer actions, in this order',
    'featured https://a.example/poll',
  )
    .argument('[urls...]', 'where their documents are; none to recommend none')
    .action(async (actionUrls: string[], options: OperatorOptions) => {
      const call = { method: 'PUT', path: '/platform/featured-actions', body: { actionUrls } }
      await ask(options, call)
      print(`${actionUrls.length} composer actions are recommended`)
    })
  command('refresh', 'ask for the document of one action, or of all, once more', 'refresh')
    .argument('[url]', 'of which; of all unless given')
    .action((actionUrl: string | undefined, options: OperatorOptions) =>
      actionUrl === undefined
        ? refreshAll(ask, options)
        : refresh(ask, options, actionUrl).then((one) => print(lineOf(one))),
    )
  command('remove', 'take an action from all lists and users', 'remove https://example.com/upvote')
    .argument('<url>', 'where its document is')
    .action(async (actionUrl: string, options: OperatorOptions) => {
      await ask(options, { method: 'DELETE', path: '/platform/actions', body: { actionUrl } })
      print(`${actionUrl} is not listed`)
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

/** One after the other; those whose documents cannot be used are named. */
async function refreshAll(ask: AskOperator, options: OperatorOptions): Promise<void> {
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
  print(`${count - failed.length} of ${count} actions are refreshed`)
  if (failed.length > 0) process.exitCode = EXIT_FAILED
}

async function* allActions(ask: AskOperator, options: OperatorOptions): AsyncGenerator<Listed> {
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
