/** Scrolls to the heading or row that the address names, once it is drawn. */
export const scrollToSection = (): void =>
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
