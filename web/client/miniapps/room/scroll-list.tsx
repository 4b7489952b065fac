import type { ReactNode } from 'react'

/** A long list that scrolls by itself, by the keyboard too. */
export const ScrollList = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
  <section className="room-scroll" tabIndex={0} aria-label={label}>
    {children}
  </section>
)
