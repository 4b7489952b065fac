import type { SnapElement } from './elements.ts'
import type { COLORS, EFFECTS, SnapVersion } from './words.ts'

export type SnapValue = string | number | boolean | readonly string[]

/** A page as a client may draw it: each child is there, and each value is of its kind. */
export type SnapPage = {
  readonly version: SnapVersion
  readonly theme: { readonly accent: (typeof COLORS)[number] }
  readonly effects?: readonly (typeof EFFECTS)[number][]
  readonly ui: {
    readonly root: string
    readonly elements: Readonly<Record<string, SnapElement>>
    /** The values that inputs begin with. */
    readonly state?: { readonly inputs: Readonly<Record<string, SnapValue>> }
  }
}
