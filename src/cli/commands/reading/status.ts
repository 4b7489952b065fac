import type { Command } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import { VERSION } from '../../../kernel/base/version.ts'
import { probeJson } from '../../client.ts'
import { EXIT_FAILED } from '../../failure.ts'
import { print, printJson } from '../../output.ts'
import { at, type Target, withTarget } from '../network.ts'
import { findSigner } from '../signer.ts'

/** A mirror takes the names of its source. */
const NONE = 'none   '

type Options = Target & { readonly json?: true }

/** Adds status, which says what answers and who acts. */
export function addStatusCommand(program: Command, config: ClientConfig): void {
  withTarget(program.command('status'), config)
    .summary('say which servers answer, which network it is, and which account acts')
    .addHelpText('after', '\nExample:\n  rookery status')
    .action((options: Options) => status(options, config))
}

async function status(options: Options, config: ClientConfig): Promise<void> {
  const servers: Readonly<Record<string, string>> = {
    hub: options.hub,
    accounts: options.accounts,
    registry: config.registryUrl,
    platform: config.platformUrl,
    app: config.appUrl,
    web: config.webUrl,
  }
  const answers = await Promise.all(
    Object.entries(servers).map(async ([name, url]) => ({
      name,
      url,
      answers: (await probeJson(at(url, '/health/live'))) !== undefined,
    })),
  )
  const info = await probeJson(at(options.hub, '/v1/info'))
  const acting = await findSigner(options, undefined).catch(() => undefined)
  if (!info) process.exitCode = EXIT_FAILED
  const result = {
    program: VERSION,
    network: info?.network,
    version: info?.version,
    nickname: info?.nickname,
    acting: acting?.fid,
    servers: answers,
  }
  if (options.json) return printJson(result)
  print(info ? `${info.nickname}, ${info.network}` : `nothing answers at ${options.hub}`)
  for (const { name, url, answers: isThere } of answers) {
    const state = isThere ? 'answers' : name === 'registry' && info?.mirror ? NONE : 'silent'
    print(`  ${name.padEnd(9)} ${state.padEnd(NONE.length)}  ${url}`)
  }
  print(acting ? `fid ${acting.fid} acts` : 'no account acts')
}
