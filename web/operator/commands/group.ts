// In which group of the room a call stands.

/** `/platform/badges/marks/{fid}` → `Badges` */
export function groupOf(path: string): string {
  const [first = '', second = ''] = path.slice(1).split('/')
  const word = ['platform', 'app', 'accounts'].includes(first) ? second : first
  const text = word.replace(/^(?:refreshed|featured|removed)-/, '').replaceAll('-', ' ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
