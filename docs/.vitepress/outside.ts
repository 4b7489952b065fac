/** Links of pages to files outside of the site, which a reader of the repository can open. All others lead to pages. */
export const OUTSIDE =
  /^(?:\.\.?\/)*(?:examples|test|src|scripts|deploy|web|proto|contracts|plots)\b|LICENSE$|design\/$|\.(?:sh|sql)$/
