import type { Command } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import { getJson } from '../../client.ts'
import { Failure } from '../../failure.ts'
import { at, serverOption, type Target, withApp, withTarget } from '../network.ts'

export const MAX_LIMIT = 100
const PATH = '/v2/farcaster'

export type ReadOptions = Target & {
  readonly app: string
  readonly appKey: string
  readonly fid?: number
  readonly limit: number
  readonly json?: true
}

/** The options of commands that read from the app API. */
export const readingApp = (command: Command, config: ClientConfig): Command =>
  withApp(withTarget(command, config), config).addOption(
    serverOption('--app-key <key>', 'key for the app API (ROOKERY_APP_KEY)', config.appKey),
  )

/** GET on the app API. */
export async function askApp({ app, appKey }: ReadOptions, path: string, limit?: number) {
  const page = limit === undefined ? '' : `&limit=${limit}`
  const answer = await getJson(at(app, `${PATH}${path}${page}`), { 'x-api-key': appKey })
  if (answer) return answer
  throw new Failure(`${app} does not have it, or is not an app API; set its address with --app`)
}
