import type { PlatformContext } from '../platform/context.ts'
import { type MiniAppCatalogue, miniAppPart } from './catalogue.ts'

/** An app that is opened again within this time is not counted again. */
const COUNTED_EVERY_SECONDS = 3_600

/** Which apps users open. */
export class MiniAppUses {
  readonly #context: Pick<PlatformContext, 'storage' | 'now'>
  readonly #catalogue: MiniAppCatalogue

  constructor(context: Pick<PlatformContext, 'storage' | 'now'>, catalogue: MiniAppCatalogue) {
    this.#context = context
    this.#catalogue = catalogue
  }

  /** Notes that a user has opened an app; at most once an hour. */
  async open(fid: number, text: string): Promise<void> {
    const { storage, now } = this.#context
    const { id, domain } = await this.#catalogue.get(text)
    const before = await storage.miniAppUsers.use(fid, id)
    if (before && now() - before.opened_at < COUNTED_EVERY_SECONDS) return
    await storage.write([`fid/${fid}`, miniAppPart(domain)], async (tx) => {
      if (!(await tx.miniApps.byId(id))) return
      const known = await tx.miniAppUsers.use(fid, id)
      await tx.miniAppUsers.putUse({ fid, app_id: id, opened_at: now() })
      if (!known) await tx.miniApps.addOpeners([{ id, openers: 1 }])
    })
  }

  /** Hides the apps that a user opens from friends, or ends that. */
  setHidden(fid: number, isHidden: boolean): Promise<void> {
    return this.#context.storage.write(`fid/${fid}`, (tx) =>
      tx.miniAppUsers.setHidesUse(fid, isHidden),
    )
  }
}
