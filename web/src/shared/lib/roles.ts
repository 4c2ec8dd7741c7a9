/** What a person's role in a notebook allows. */

/** Adding, changing and keeping things; nobody may while the role is not known yet. */
export const mayEdit = (role: string | undefined): boolean => role === "owner" || role === "editor";
