import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { PlatformPart } from '../../kernel/storage/storage.ts'
import type { ActionReader, StoredAction } from './tables/actions.ts'

/** Normalizes an action's URL like a browser and removes the fragment. */
export function readActionUrl(text: string, field = 'actionUrl'): URL {
  if (!URL.canParse(text)) {
    throw new Rejection('bad_request.validation_failure', `${field} must be a URL`, { field })
  }
  const url = new URL(text)
  url.hash = ''
  return url
}

/** The lock of one action with its installs, by its normalized URL. */
export const actionPart = (href: string): PlatformPart => `action/${href}`

export const findAction = (actions: Pick<ActionReader, 'byUrl'>, actionUrl: string) =>
  actions.byUrl(readActionUrl(actionUrl).href)

export async function getAction(
  actions: Pick<ActionReader, 'byUrl'>,
  actionUrl: string,
): Promise<StoredAction> {
  return (await findAction(actions, actionUrl)) ?? throwUnknown(actionUrl)
}

export function throwUnknown(actionUrl: string, field = 'actionUrl'): never {
  throw new Rejection('not_found', `Action ${actionUrl} does not exist`, { field })
}
