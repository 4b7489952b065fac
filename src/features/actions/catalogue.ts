import type { Job } from '../../kernel/jobs/job.ts'
import type { PlatformContext } from '../../kernel/platform/context.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_SECONDS, HOUR_MS } from '../../kernel/protocol/time.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { type ReadDocument, readDocument } from './document.ts'
import { checkUrl, type FetchOptions, fetchJson } from './fetch-json.ts'
import { actionPart, getAction, readActionUrl, throwUnknown } from './known.ts'
import type { StoredAction } from './tables/actions.ts'
import { actionRows } from './tables/actions.ts'

/** The greatest number of listed actions. */
const MAX_ACTIONS = 10_000
/** The greatest number of featured composer actions. */
export const MAX_FEATURED_ACTIONS = 100
/** The age at which an action's document is fetched again. */
const REFRESH_AFTER_SECONDS = DAY_SECONDS
/** Documents fetched in one run of the hourly job, and how many of them concurrently. */
const REFRESHED_PER_RUN = 500
const REFRESHED_AT_ONCE = 4

type Context = Pick<PlatformContext, 'storage' | 'now'>

/** The listed actions, which users may install and the operator maintains. */
export class Catalogue {
  /** Fetches documents again that are a day old. Stops between two batches. */
  readonly job: Job = {
    name: 'refresh actions',
    scope: 'leader',
    everyMs: HOUR_MS,
    run: ({ signal }) => this.refreshStale(() => signal.aborted),
  }
  readonly #context: Context
  readonly #fetchOptions: FetchOptions

  constructor(context: Context, fetchOptions: FetchOptions) {
    this.#context = context
    this.#fetchOptions = fetchOptions
  }

  async add(actionUrl: string): Promise<StoredAction> {
    const url = readActionUrl(actionUrl)
    checkUrl(url, this.#fetchOptions)
    return this.put(url.href, await this.#readAt(url))
  }

  /** Adds an action from its document, or updates it. */
  put(url: string, read: ReadDocument): Promise<StoredAction> {
    const { storage, now } = this.#context
    return storage.write(['all/actions', actionPart(url)], async (tx) => {
      const known = await tx.of(actionRows).byUrl(url)
      if (known) await update(tx, known, read, now())
      else await insert(tx, url, read, now())
      return (await tx.of(actionRows).byUrl(url))!
    })
  }

  async refresh(actionUrl: string): Promise<StoredAction> {
    return this.#refresh(await getAction(this.#context.storage.of(actionRows), actionUrl))
  }

  /** Fetches the documents that were not fetched for a day. Several processes may share the work. */
  async refreshStale(isStopped: () => boolean = () => false): Promise<void> {
    const { storage, now } = this.#context
    for (let left = REFRESHED_PER_RUN; left > 0 && !isStopped(); left -= REFRESHED_AT_ONCE) {
      const before = now() - REFRESH_AFTER_SECONDS
      const stale = await storage.write('all/actions', (tx) =>
        tx.of(actionRows).takeStale(before, now(), REFRESHED_AT_ONCE),
      )
      if (stale.length === 0) return
      await Promise.all(stale.map((one) => this.#refresh(one).catch(throwUnlessRejection)))
    }
  }

  /** Removes an action with its installs. Idempotent. */
  remove(actionUrl: string): Promise<void> {
    const { href } = readActionUrl(actionUrl)
    return this.#context.storage.write(['all/actions', actionPart(href)], async (tx) => {
      const known = await tx.of(actionRows).byUrl(href)
      if (known) await tx.of(actionRows).remove(known.id)
    })
  }

  /** Replaces the list of featured composer actions. */
  feature(actionUrls: readonly string[]): Promise<void> {
    return this.#context.storage.write('all/actions', async (tx) => {
      const urls = actionUrls.map((url, i) => readActionUrl(url, `actionUrls.${i}`).href)
      const found = new Map((await tx.of(actionRows).byUrls(urls)).map((one) => [one.url, one]))
      await tx.of(actionRows).putFeatured(urls.map((url, i) => composerId(found.get(url), urls, i)))
    })
  }

  /** Fetches the document again. Installs stay. When the document is invalid, the action stays, with the reason. */
  async #refresh({ url }: StoredAction): Promise<StoredAction> {
    const { storage, now } = this.#context
    try {
      const read = await this.#readAt(new URL(url))
      return await storage.write(actionPart(url), async (tx) => {
        // The action may have been removed meanwhile.
        const known = (await tx.of(actionRows).byUrl(url)) ?? throwUnknown(url)
        await update(tx, known, read, now())
        return (await tx.of(actionRows).byUrl(url))!
      })
    } catch (error) {
      if (error instanceof Rejection) {
        const { message } = error
        await storage.write(actionPart(url), (tx) =>
          tx.of(actionRows).putFault(url, message, now()),
        )
      }
      throw error
    }
  }

  async #readAt(url: URL): Promise<ReadDocument> {
    return readDocument(await fetchJson(url, this.#fetchOptions), url.href)
  }
}

async function insert(tx: Writer, url: string, { kind, document }: ReadDocument, now: number) {
  if ((await tx.of(actionRows).count()) >= MAX_ACTIONS) {
    const text = `${MAX_ACTIONS} actions are listed; one has to go first`
    throw new Rejection('bad_request.validation_failure', text)
  }
  await tx.of(actionRows).insert({ ...document, url, kind, looked_at: now })
}

async function update(
  tx: Writer,
  { id, url, kind }: StoredAction,
  { kind: kindNow, document }: ReadDocument,
  now: number,
) {
  if (kind !== kindNow) {
    const text = `${url} was a ${kind} action and is a ${kindNow} action now: remove it, add it again`
    throw new Rejection('bad_request.validation_failure', text, { field: 'actionUrl' })
  }
  await tx.of(actionRows).update(id, document, now)
}

function composerId(found: StoredAction | undefined, urls: readonly string[], i: number): number {
  const field = `actionUrls.${i}`
  const url = urls[i]!
  const { id, kind } = found ?? throwUnknown(url, field)
  const fault =
    urls.indexOf(url) < i ? 'is there twice' : kind !== 'composer' && 'is not a composer action'
  if (fault) throw new Rejection('bad_request.validation_failure', `${url} ${fault}`, { field })
  return id
}

/** A rejection is stored with the action as its fault. */
function throwUnlessRejection(error: unknown): void {
  if (!(error instanceof Rejection)) throw error
}
