import { type Body, type Named, NotFound, type UploadedFile, type Uuid } from 'acmcp'
import { type Customer, type ImportedCustomers, KnownCustomer, type NewCustomer } from '../model/customer.ts'
import type { Page, PageNumber, PageSize } from '../model/paging.ts'
import {
  addCustomer,
  customerTickets,
  eraseCustomer,
  findByEmail,
  findCustomer,
  linkCustomer,
  listCustomers,
  replaceCustomer,
} from '../people/customers.ts'
import { importCustomers } from '../people/import-customers.ts'
import { StaffController } from '../staff-controller.ts'
import { attachmentIdsOf } from '../tickets/attachments.ts'
import { dropFiles } from '../tickets/files.ts'

/**
 * The people who ask for help. For the staff.
 *
 * @base /api/customers
 * @scope desk:read
 * @mcp keywords client, company, contact, caller
 */
export class Customers extends StaffController {
  /**
   * Admins erase.
   *
   * @filter before only=destroy
   */
  forAdmins(): void {
    this.requireRole('admin')
  }

  /**
   * Lists customers by name.
   *
   * @get /
   * @param search - a part of the name, the address or the organisation
   * @param page - which page, from 1 on
   * @param perPage - how many on a page
   * @mcp root
   * @mcp title="Find customers"
   * @mcp brief id name email organisation
   * @mcp paging page=page limit=per-page
   * @mcp keywords look up, find by address, our books, clients
   */
  index(
    search = '',
    page: PageNumber = 1,
    perPage: Named<'per-page', PageSize> = 20,
  ): Promise<Page<Customer>> {
    return listCustomers(this.database, search, { page, perPage })
  }

  /**
   * Adds a customer. One whose address is known is not stored again, but answered.
   *
   * @post /
   * @scope desk:write
   * @param customer - who it is
   * @returns 201 the new customer
   * @returns {KnownCustomer} 200 the customer who was there before
   * @mcp idempotent
   * @mcp example {"customer":{"name":"Ada Lovelace","email":"ada@example.org","organisation":null}}
   * @mcp keywords register, new client
   */
  async create(customer: Body<NewCustomer>): Promise<Customer | KnownCustomer> {
    const added = await addCustomer(this.database, customer, this.now)
    return added ?? new KnownCustomer(this.#found(await findByEmail(this.database, customer.email)))
  }

  /**
   * Adds the customers of a CSV file: name, address and organisation, without a heading. Lines that are wrong are left out, and
   * told. At most 5000 lines and 1 MB.
   *
   * @post /import
   * @scope desk:write
   * @limit 20/h
   * @timeout 30s
   * @param file - the list
   */
  async import(file: UploadedFile): Promise<ImportedCustomers> {
    return importCustomers(this.database, file, this.now)
  }

  /**
   * Shows one customer.
   *
   * @get /:id
   * @param id - of the customer
   * @throws {NotFound} 404 there is no such customer
   * @mcp keywords profile, record, phone number
   */
  async show(id: Uuid): Promise<Customer> {
    return this.#found(await findCustomer(this.database, id))
  }

  /**
   * Replaces what is written of a customer.
   *
   * @put /:id
   * @scope desk:write
   * @param id - of the customer
   * @param customer - who it is
   * @throws {NotFound} 404 there is no such customer
   * @mcp keywords rename, moved, new address
   */
  async update(id: Uuid, customer: Body<NewCustomer>): Promise<Customer> {
    return this.#found(await replaceCustomer(this.database, id, customer))
  }

  /**
   * Gives a customer's tickets to the account with which they sign in. Make sure who they are first.
   *
   * Only admins move a customer from one account to another.
   *
   * @put /:id/account
   * @scope desk:write
   * @param id - of the customer
   * @param user - the id of the user
   * @throws {NotFound} 404 there is no such customer
   * @mcp hide
   */
  async link(id: Uuid, user: string): Promise<Customer> {
    const mayMove = this.member.role === 'admin'
    return this.#found(await linkCustomer(this.database, id, { user, mayMove }))
  }

  /**
   * Erases a customer with all of their tickets. Nothing brings them back.
   *
   * @delete /:id
   * @scope desk:admin
   * @param id - of the customer
   * @returns 204
   * @throws {NotFound} 404 there is no such customer
   * @mcp keywords forget, personal data, remove an account, address book
   */
  async destroy(id: Uuid): Promise<void> {
    const files = await attachmentIdsOf(this.database, await customerTickets(this.database, id))
    if (!(await eraseCustomer(this.database, id))) throw new NotFound('there is no such customer')
    await dropFiles(files)
  }

  #found(customer: Customer | null): Customer {
    if (customer === null) throw new NotFound('there is no such customer')
    return customer
  }
}
