/** The title of the document; React puts it into the head. */
export const Title = ({ children }: { children: string }) => (
  <title>{`${children} – Rookery`}</title>
)
