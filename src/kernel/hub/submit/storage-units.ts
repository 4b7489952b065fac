import {
  activeUnits,
  type HeldUnits,
  type Holding,
  keptUnits,
  type StorageTerms,
  unitTypeOf,
} from '../../protocol/storage-units.ts'
import type { Reader, Writer } from '../../storage/storage.ts'
import type { Holdings, StorageLend, StorageLent } from '../../storage/tables/storage-lends.ts'

export type StorageClock = StorageTerms & {
  /** Unix seconds. */
  readonly now: number
}

/** The storage of everybody whom a batch concerns; updated while the batch is decided. */
export class StorageUnits {
  readonly clock: StorageClock
  readonly #holdings: Holdings
  readonly #units = new Map<number, { active: HeldUnits; kept: HeldUnits }>()
  readonly #lent = new Map<string, StorageLent>()

  constructor(holdings: Holdings, clock: StorageClock) {
    this.clock = clock
    this.#holdings = holdings
  }

  static async read(
    reader: Pick<Reader, 'storageLends'>,
    fids: readonly number[],
    clock: StorageClock,
  ): Promise<StorageUnits> {
    return new StorageUnits(await reader.storageLends.holdings(fids), clock)
  }

  /** Units that the fid may use now. Without any its messages are refused. */
  active(fid: number): HeldUnits {
    return this.#unitsOf(fid).active
  }

  /** Units that limit how many messages are kept: those in their grace time, too. */
  kept(fid: number): HeldUnits {
    return this.#unitsOf(fid).kept
  }

  /** What says how many units the fid has, with what the batch has lent. */
  holding(fid: number): Holding {
    const holding = this.#holdings.of(fid)
    const lent = { ...holding.lent }
    for (const { lender, unit_type, units } of this.#lent.values()) {
      if (lender === fid) lent[unitTypeOf(unit_type)] = units
    }
    return { ...holding, lent }
  }

  /** The stored lends to these fids. */
  get lends(): readonly StorageLend[] {
    return this.#holdings.lends
  }

  addLent({ lender, unit_type }: Pick<StorageLend, 'lender' | 'unit_type'>, change: number): void {
    const units = this.holding(lender).lent[unitTypeOf(unit_type)] + change
    this.#lent.set(`${lender}/${unit_type}`, { lender, unit_type, units })
    this.#units.delete(lender)
  }

  async write(tx: Pick<Writer, 'storageLends'>): Promise<void> {
    if (this.#lent.size > 0) await tx.storageLends.putLent([...this.#lent.values()])
  }

  #unitsOf(fid: number): { active: HeldUnits; kept: HeldUnits } {
    return this.#units.getOrInsertComputed(fid, () => {
      const holding = this.holding(fid)
      const { now } = this.clock
      return {
        active: activeUnits(holding, now, this.clock),
        kept: keptUnits(holding, now, this.clock),
      }
    })
  }
}
