import { type MiniAppCatalogue, miniAppPart } from './catalogue.ts'
import type { MiniAppContext } from './context.ts'
import { miniAppUserRows } from './tables/mini-app-users.ts'
import { miniAppRows } from './tables/mini-apps.ts'

/** An app that is opened again within this time is not counted again. */
const COUNTED_EVERY_SECONDS = 3_600

/** Which apps users open. */
export class MiniAppUses {
  readonly #context: Pick<MiniAppContext, 'storage' | 'now'>
  readonly #catalogue: MiniAppCatalogue

  constructor(context: Pick<MiniAppContext, 'storage' | 'now'>, catalogue: MiniAppCatalogue) {
    this.#context = context
    this.#catalogue = catalogue
  }

  /** Notes that a user has opened an app; at most once an hour. */
  async open(fid: number, text: string): Promise<void> {
    const { storage, now } = this.#context
    const { id, domain } = await this.#catalogue.get(text)
    const before = await storage.of(miniAppUserRows).use(fid, id)
    if (before && now() - before.opened_at < COUNTED_EVERY_SECONDS) return
    await storage.write([`fid/${fid}`, miniAppPart(domain)], async (tx) => {
      if (!(await tx.of(miniAppRows).byId(id))) return
      const known = await tx.of(miniAppUserRows).use(fid, id)
      await tx.of(miniAppUserRows).putUse({ fid, app_id: id, opened_at: now() })
      if (!known) await tx.of(miniAppRows).addOpeners([{ id, openers: 1 }])
    })
  }

  /** Hides the apps that a user opens from friends, or ends that. */
  setHidden(fid: number, isHidden: boolean): Promise<void> {
    return this.#context.storage.write(`fid/${fid}`, (tx) =>
      tx.of(miniAppUserRows).setHidesUse(fid, isHidden),
    )
  }
}
