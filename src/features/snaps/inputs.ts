import type { SnapElement } from './elements.ts'
import type { SnapPage, SnapValue } from './types.ts'

export type Inputs = Readonly<Record<string, SnapValue>>

/** The values that a page begins with: what it says itself, else those of its elements. */
export function firstInputs({ ui: { elements, state } }: SnapPage): Inputs {
  const own = Object.values(elements).flatMap((element): [string, SnapValue][] => {
    const value = defaultOf(element)
    return value === undefined ? [] : [[(element.props as { name: string }).name, value]]
  })
  return { ...Object.fromEntries(own), ...state?.inputs }
}

function defaultOf({ type, props }: SnapElement): SnapValue | undefined {
  switch (type) {
    case 'input':
      return props.defaultValue ?? ''
    case 'slider':
      return props.defaultValue ?? (props.min + props.max) / 2
    case 'switch':
      return props.defaultChecked ?? false
    case 'toggle_group':
      return props.multiple ? [props.defaultValue ?? []].flat() : [props.defaultValue].flat()[0]
    default:
      return undefined
  }
}
