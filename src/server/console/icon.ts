/** The icon of every page, as SVG. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#c98a1b" stroke-width="3">
  <circle cx="13" cy="18" r="8"/><path d="M3 8h16l10-5v14l-9-5"/>
</svg>
`
