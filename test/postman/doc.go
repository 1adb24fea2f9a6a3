// Package postman runs the collection that a server has at /postman.json, as Postman does.
package postman
